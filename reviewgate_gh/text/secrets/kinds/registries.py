"""Package registries, continuous integration and signing."""

from ..kind import ALNUM, BASE64, HEX, LOWER_ALNUM, URL64, UUID, kind, named, of, part

_DOCKER = "app.docker.com/settings/personal-access-tokens"
_DOCKER_DOC = "docs.docker.com/security/access-tokens"
_CIRCLE = "app.circleci.com/settings/user/tokens"
_CIRCLE_DOC = "circleci.com/docs/managing-api-tokens"
_BUILDKITE, _BUILDKITE_DOC = "buildkite.com/user/api-access-tokens", "buildkite.com/docs/apis"
# Documentation elsewhere stands for the registries' own pages
_NPM = "github.com/npm/documentation/blob/main/content/integrations"
_PYPI = "packaging.python.org/en/latest/specifications/pypirc"
_RUBYGEMS = "github.com/rubygems/guides/blob/main/api-key-scopes.md"
_CARGO = "doc.rust-lang.org/cargo/reference/registry-authentication.html"
_ARTIFACTORY = "jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens"

KINDS = (
    kind("npm-token", "npm_", of(ALNUM, 36), _NPM, _NPM, checksum="base62_crc32", bare=True),
    named("npm-legacy-token", "npm _authtoken", UUID, _NPM, _NPM),
    kind("pypi-token", "pypi-AgE", part(URL64, 50, 1000), _PYPI, _PYPI, bare=True),
    kind("rubygems-key", "rubygems_", of(HEX, 48), _RUBYGEMS, _RUBYGEMS, bare=True),
    kind("crates-token", "cio", of(ALNUM, 32), _CARGO, _CARGO, digits=True),
    kind("nuget-key", "oy2", of(LOWER_ALNUM, 43), "nuget.org/account/apikeys",
        "learn.microsoft.com/nuget/nuget-org/scoped-api-keys", digits=True),
    kind("docker-hub-token", "dckr_pat_ dckr_oat_", part(URL64, 27, 40), _DOCKER, _DOCKER_DOC,
        bare=True),
    named("docker-hub-legacy-token", "docker", UUID, _DOCKER, _DOCKER_DOC),
    kind("artifactory-key", "AKCp", of(ALNUM, 65, 80), _ARTIFACTORY, _ARTIFACTORY),
    kind("artifactory-reference-token", "cmVmdGtu", part(BASE64, 56, 70), _ARTIFACTORY,
        _ARTIFACTORY),
    named("cloudsmith-key", "cloudsmith", of(HEX, 40), "cloudsmith.io/user/settings/api",
        "help.cloudsmith.io"),
    kind("clojars-token", "CLOJARS_", of(HEX, 60), "clojars.org/tokens",
        "github.com/clojars/clojars-web/wiki", bare=True),
    named("hex-key", "hex_api hexpm", of(HEX, 32), "hex.pm/dashboard/keys", "hex.pm/docs",
        entropy=3.0),
    named("packagist-token", "packagist", of(ALNUM, 20, 40), "packagist.org/profile",
        "packagist.org/apidoc"),
    kind("packagist-api-token", "packagist_out_ packagist_ack_ packagist_uut_", part(HEX, 60, 90),
        "packagist.com/settings", "packagist.com/docs", bare=True),
    kind("buildkite-token", "bkua_ bkaj_ bkrt_ bkpt_", of(HEX, 40), _BUILDKITE, _BUILDKITE_DOC,
        bare=True),
    kind("buildkite-cluster-token", "bkct_", part(ALNUM + "_", 40, 90), _BUILDKITE, _BUILDKITE_DOC,
        bare=True),
    named("buildkite-agent-token", "buildkite", of(HEX, 50), _BUILDKITE, _BUILDKITE_DOC),
    kind("circleci-token", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9]{20,24}_[0-9a-f]{40}(?![A-Za-z0-9])",
        _CIRCLE, _CIRCLE_DOC, bare=True),
    named("circleci-legacy-token", "circle", of(HEX, 40), _CIRCLE, _CIRCLE_DOC),
    named("travis-token", "travis", of(ALNUM, 20, 22), "app.travis-ci.com/account/preferences",
        "docs.travis-ci.com/user/triggering-builds", entropy=3.2),
    named("drone-token", "drone", of(ALNUM, 32), "docs.drone.io", "docs.drone.io/cli/configure"),
    named("jenkins-token", "jenkins", r"(?:11)?[0-9a-f]{32}",
        "jenkins.io/doc/book/system-administration",
        "jenkins.io/doc/book/system-administration/authenticating-scripted-clients", entropy=3.0),
    named("appveyor-token", "appveyor", r"(?:v2\.)?[a-z0-9]{20}", "ci.appveyor.com/api-keys",
        "appveyor.com/docs/api", entropy=3.2),
    named("codefresh-key", "codefresh", r"[0-9a-f]{24}\.[0-9a-f]{32}",
        "g.codefresh.io/user/settings", "codefresh.io/docs"),
    kind("harness-token", "pat.",
        r"[A-Za-z0-9_\-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}(?![A-Za-z0-9])", "app.harness.io",
        "developer.harness.io/docs/platform/automation/api/add-and-manage-api-keys"),
    kind("octopus-key", "API-", of("A-Z0-9", 26, 31), "octopus.com/docs/octopus-rest-api",
        "octopus.com/docs/octopus-rest-api/how-to-create-an-api-key", digits=True, entropy=3.4),
    named("bitrise-token", "bitrise", of(URL64, 86), "app.bitrise.io/me/account/security",
        "devcenter.bitrise.io"),
    named("codemagic-token", "codemagic", of(URL64, 43), "codemagic.io/teams", "docs.codemagic.io"),
    named("expo-access-token", "expo", of(URL64, 40), "expo.dev/settings/access-tokens",
        "docs.expo.dev"),
    kind("prefect-key", "pnu_ pnb_", of(ALNUM, 36), "app.prefect.cloud/my/api-keys",
        "docs.prefect.io/cloud/users/api-keys"),
    named("dagster-cloud-token", "dagster", r"(?:user|agent):[A-Za-z0-9\-]{3,40}:[0-9a-f]{32}",
        "dagster.cloud", "docs.dagster.io"),
    kind("dbt-token", "dbtc_ dbtu_", part(URL64, 30, 60),
        "cloud.getdbt.com/settings/profile/api-access", "docs.getdbt.com/docs/dbt-cloud-apis"),
    kind("frameio-token", "fio-u-", part(URL64 + "=", 64), "developer.frame.io/app/tokens",
        "developer.frame.io", bare=True),
    kind("scalingo-token", "tk-us-", of(URL64, 48), "dashboard.scalingo.com/account/tokens",
        "developers.scalingo.com", bare=True),
    kind("unkey-key", "unkey_", part(ALNUM + "_", 20, 40), "app.unkey.com/settings/root-keys",
        "unkey.com/docs", bare=True),
    kind("trigger-key", "tr_prod_ tr_dev_", of(ALNUM, 20, 24), "cloud.trigger.dev",
        "trigger.dev/docs", bare=True),
    kind("inngest-key", "signkey-prod-", of(HEX, 32, 64),
        "app.inngest.com/env/production/manage/signing-key", "inngest.com/docs", bare=True),
    named("ngc-api-key", "ngc!", of(ALNUM, 84), "org.ngc.nvidia.com/setup/api-keys",
        "docs.nvidia.com/ngc"),
)  # fmt: skip
