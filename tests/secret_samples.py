"""Made-up secrets and what only looks like one, for tests and benches: valid shapes, random values,
never a real one. Nothing in this file is a whole token, so no scanner trips over it.

`HELD_OUT_*` were written before the engine and are not used while it is tuned.
"""

import base64
import json
import random
import re
import string
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_ALPHABETS = {
    "A": BASE62,
    "a": string.ascii_lowercase + string.digits,
    "L": string.ascii_letters,
    "l": string.ascii_lowercase,
    "u": string.ascii_uppercase + string.digits,
    "U": string.ascii_uppercase,
    "N": string.digits,
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "B": BASE62 + "+/",
    "R": BASE62 + "-_",
    "2": string.ascii_uppercase + "234567",
    "P": BASE62 + "!#%^&*-_+.~",
}
_SLOT = re.compile(r"\{(\w)(\d+)\}")


def filled(template: str, rng: random.Random) -> str:
    """`{A36}` is 36 characters of the alphabet A; `{uuid}`; `|` keeps scanners from seeing one."""
    text = _SLOT.sub(
        lambda m: "".join(rng.choice(_ALPHABETS[m[1]]) for _ in range(int(m[2]))), template
    )
    return text.replace("{uuid}", _uuid(rng)).replace("|", "")


def _uuid(rng: random.Random) -> str:
    digits = "".join(rng.choice("0123456789abcdef") for _ in range(32))
    return "-".join(
        (digits[:8], digits[8:12], "4" + digits[13:16], "a" + digits[17:20], digits[20:])
    )


def base62_crc(body: str) -> str:
    """Six base62 digits over the CRC-32 of the random part, as GitHub and npm append them.

    https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
    """
    number, digits = zlib.crc32(body.encode()), ""
    while number:
        number, last = divmod(number, 62)
        digits = BASE62[last] + digits
    return digits.rjust(6, "0")


class Sample(NamedTuple):
    """A text with one secret (or none: a look-alike), and the path that it would stand at."""

    kind: str
    carrier: str
    path: str
    text: str
    value: str


# Names that a person would give the variable, and the value.
KNOWN: dict[str, tuple[str, str]] = {
    "github": ("GITHUB_TOKEN", "gh|p_{A36}"),
    "gitlab": ("GITLAB_TOKEN", "gl|pat-{R20}"),
    "aws-id": ("AWS_ACCESS_KEY_ID", "AK|IA{216}"),
    "aws-secret": ("AWS_SECRET_ACCESS_KEY", "{B40}"),
    "openai": ("OPENAI_API_KEY", "sk|-proj-{R74}T3Blbk|FJ{R74}"),
    "anthropic": ("ANTHROPIC_API_KEY", "sk|-ant-api03-{R93}AA"),
    "slack-bot": ("SLACK_BOT_TOKEN", "xo|xb-{N12}-{N13}-{A24}"),
    "stripe": ("STRIPE_SECRET_KEY", "sk|_live_{A24}"),
    "datadog": ("DD_API_KEY", "{H32}"),
    "twilio": ("TWILIO_AUTH_TOKEN", "{H32}"),
    "generic-token": ("SERVICE_TOKEN", "{A32}"),
    "generic-password": ("DB_PASSWORD", "{P20}"),
    "generic-hex": ("SESSION_SECRET", "{H64}"),
    "generic-base64": ("ENCRYPTION_KEY", "{B43}="),
}
HELD_OUT: dict[str, tuple[str, str]] = {
    "airtable": ("AIRTABLE_TOKEN", "pa|t{A14}.{H64}"),
    "algolia": ("ALGOLIA_ADMIN_KEY", "{H32}"),
    "asana": ("ASANA_TOKEN", "1/{N16}:{H32}"),
    "atlassian": ("JIRA_API_TOKEN", "AT|ATT3x{R180}={X8}"),
    "azure-client": ("AZURE_CLIENT_SECRET", "{A3}8|Q~{R34}"),
    "bitbucket": ("BITBUCKET_CLIENT_SECRET", "{A32}"),
    "buildkite": ("BUILDKITE_AGENT_TOKEN", "bk|ua_{H40}"),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", "{R40}"),
    "cloudflare-key": ("CLOUDFLARE_API_KEY", "{H37}"),
    "cohere": ("COHERE_API_KEY", "{A40}"),
    "contentful": ("CONTENTFUL_TOKEN", "CF|PAT-{R43}"),
    "databricks": ("DATABRICKS_TOKEN", "da|pi{H32}"),
    "deepseek": ("DEEPSEEK_API_KEY", "sk|-{H32}"),
    "discord-bot": ("DISCORD_TOKEN", "M{A23}.{R6}.{R38}"),
    "discord-hook": ("WEBHOOK", "https://discord.com/api/webhooks/{N18}/{R68}"),
    "docker-hub": ("DOCKERHUB_TOKEN", "dc|kr_pat_{R27}"),
    "doppler": ("DOPPLER_TOKEN", "dp|.pt.{A43}"),
    "dropbox": ("DROPBOX_TOKEN", "sl|.{R135}"),
    "fastly": ("FASTLY_API_TOKEN", "{R32}"),
    "figma": ("FIGMA_TOKEN", "fi|gd_{R40}"),
    "flyio": ("FLY_API_TOKEN", "fo|1_{R43}"),
    "gcp-key": ("GOOGLE_API_KEY", "AI|za{R35}"),
    "gitlab-runner": ("RUNNER_TOKEN", "gl|rt-{R20}"),
    "grafana": ("GRAFANA_TOKEN", "gl|sa_{A32}_{H8}"),
    "groq": ("GROQ_API_KEY", "gs|k_{A52}"),
    "heroku": ("HEROKU_API_KEY", "{uuid}"),
    "hubspot": ("HUBSPOT_TOKEN", "pa|t-na1-{uuid}"),
    "huggingface": ("HF_TOKEN", "h|f_{L34}"),
    "intercom": ("INTERCOM_ACCESS_TOKEN", "dG9rO{A54}="),
    "linear": ("LINEAR_API_KEY", "lin|_api_{A40}"),
    "mailchimp": ("MAILCHIMP_API_KEY", "{H32}-us12"),
    "mailgun": ("MAILGUN_API_KEY", "ke|y-{H32}"),
    "mapbox": ("MAPBOX_TOKEN", "s|k.eyJ1{A60}.{R22}"),
    "netlify": ("NETLIFY_AUTH_TOKEN", "nf|p_{A36}"),
    "newrelic": ("NEW_RELIC_API_KEY", "NR|AK-{u27}"),
    "notion": ("NOTION_TOKEN", "nt|n_{N11}{A35}"),
    "npm": ("NPM_TOKEN", "np|m_{A36}"),
    "okta": ("OKTA_API_TOKEN", "00{R40}"),
    "pagerduty": ("PAGERDUTY_API_KEY", "u+{R18}"),
    "perplexity": ("PPLX_API_KEY", "pp|lx-{A48}"),
    "planetscale": ("PLANETSCALE_PASSWORD", "ps|cale_pw_{R43}"),
    "postman": ("POSTMAN_API_KEY", "PM|AK-{H24}-{H34}"),
    "pulumi": ("PULUMI_ACCESS_TOKEN", "pu|l-{H40}"),
    "pypi": ("PYPI_TOKEN", "py|pi-AgEIcHlwaS5vcmc{R150}"),
    "replicate": ("REPLICATE_API_TOKEN", "r8|_{A37}"),
    "rubygems": ("GEM_HOST_API_KEY", "ru|bygems_{H48}"),
    "sendgrid": ("SENDGRID_API_KEY", "S|G.{R22}.{R43}"),
    "sendinblue": ("BREVO_API_KEY", "xk|eysib-{H64}-{A16}"),
    "sentry": ("SENTRY_AUTH_TOKEN", "sn|tryu_{H64}"),
    "shopify": ("SHOPIFY_ACCESS_TOKEN", "sh|pat_{H32}"),
    "slack-hook": ("WEBHOOK", "https://hooks.slack|.com/services/T{u8}/B{u10}/{A24}"),
    "snyk": ("SNYK_TOKEN", "{uuid}"),
    "sonar": ("SONAR_TOKEN", "sq|p_{H40}"),
    "square": ("SQUARE_ACCESS_TOKEN", "EA|AA{R60}"),
    "supabase": ("SUPABASE_TOKEN", "sb|p_{H40}"),
    "tailscale": ("TS_AUTHKEY", "ts|key-auth-{A12}-{A32}"),
    "telegram": ("TELEGRAM_BOT_TOKEN", "{N10}:A|A{R33}"),
    "terraform": ("TFE_TOKEN", "{A14}.atlas|v1.{A67}"),
    "vault": ("VAULT_TOKEN", "hv|s.{R95}"),
    "vercel": ("VERCEL_TOKEN", "{A24}"),
    "zendesk": ("ZENDESK_SECRET", "{A40}"),
    "unknown-vendor-1": ("KITEFORGE_API_KEY", "kf_{A30}"),
    "unknown-vendor-2": ("ORBITRA_CLIENT_SECRET", "{R42}"),
    "unknown-vendor-3": ("mudlark.auth.token", "{H40}"),
    "unknown-vendor-4": ("quorlySigningKey", "{B64}"),
    "unknown-vendor-5": ("pinegate_private_token", "pg-{A20}"),
    "password-mixed": ("SMTP_PASSWORD", "{U1}{l5}{N3}!{A6}"),
    "password-random": ("rootPassword", "{A16}"),
    "app-password": ("ADMIN_PASS", "{P14}"),
}
CARRIERS: dict[str, tuple[str, str]] = {
    "env": (".env", "{name}={value}\n"),
    "yaml": ("config/app.yml", "service:\n  {lower}: {value}\n  port: 80\n"),
    "json": ("config/app.json", '{{\n  "{lower}": "{value}",\n  "port": 80\n}}\n'),
    "python": ("src/app.py", 'import os\n{name} = "{value}"\n'),
    "js": ("src/app.js", "const {camel} = '{value}';\n"),
    "toml": ("settings.toml", '[service]\n{lower} = "{value}"\n'),
    "docker": ("Dockerfile", "FROM alpine\nENV {name}={value}\n"),
    "export": ("deploy.sh", "#!/bin/sh\nexport {name}={value}\n"),
}
HELD_OUT_CARRIERS: dict[str, tuple[str, str]] = {
    "env-quoted": ("prod.env", '{name}="{value}"\n'),
    "properties": ("src/main/resources/application.properties", "{dotted}={value}\n"),
    "ini": ("setup.ini", "[auth]\n{lower} = {value}\n"),
    "compose": (
        "docker-compose.yml",
        "services:\n  app:\n    environment:\n      - {name}={value}\n",
    ),
    "workflow": (
        ".github/workflows/ci.yml",
        "jobs:\n  x:\n    env:\n      {name}: {value}\n    steps: []\n",
    ),
    "k8s-env": (
        "deploy/app.yaml",
        '        env:\n        - name: {name}\n          value: "{value}"\n',
    ),
    "k8s-secret": (
        "deploy/secret.yaml",
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ndata:\n  {lower}: {b64}\n",
    ),
    "terraform": (
        "main.tf",
        'variable "{lower}" {{\n  type    = string\n  default = "{value}"\n}}\n',
    ),
    "tfvars": ("prod.tfvars", '{lower} = "{value}"\n'),
    "go": ("main.go", 'package main\n\nconst {camel} = "{value}"\n'),
    "go-struct": ("main.go", 'cfg := Config{{\n\t{pascal}: "{value}",\n}}\n'),
    "java": ("A.java", 'private static final String {name} = "{value}";\n'),
    "csharp": ("A.cs", 'public const string {pascal} = "{value}";\n'),
    "ruby": ("a.rb", "config = {{ :{lower} => '{value}' }}\n"),
    "php": ("config.php", "define('{name}', '{value}');\n"),
    "rust": ("main.rs", 'const {name}: &str = "{value}";\n'),
    "kotlin": ("A.kt", 'val {camel}: String = "{value}"\n'),
    "ts-type": ("a.ts", 'export const {camel}: string = "{value}";\n'),
    "setter": ("A.java", '    client.set{pascal}("{value}");\n'),
    "python-kw": ("a.py", 'client = Client(host="x.internal", {lower}="{value}")\n'),
    "python-dict": ("a.py", "CONFIG = {{'{lower}': '{value}'}}\n"),
    "python-environ": ("a.py", 'os.environ["{name}"] = "{value}"\n'),
    "js-default": ("a.js", 'const k = process.env.{name} || "{value}";\n'),
    "powershell": ("a.ps1", '$env:{name} = "{value}"\n'),
    "curl-header": ("run.sh", 'curl -H "Authorization: Bearer {value}" https://api.acme.io/v1\n'),
    "curl-user": ("run.sh", "curl -u 'deploy:{value}' https://api.acme.io/v1\n"),
    "curl-key": ("run.sh", "curl -H 'X-Api-Key: {value}' https://api.acme.io/v1\n"),
    "docker-run": ("run.sh", "docker run -e {name}={value} app\n"),
    "flag": ("run.sh", "deploy --{kebab} {value} --force\n"),
    "url-query": ("a.py", 'URL = "https://api.acme.io/v1/items?api_key={value}&page=2"\n'),
    "xml": ("config.xml", "<config>\n  <{camel}>{xml}</{camel}>\n</config>\n"),
    "appsettings": ("web.config", '<add key="{pascal}" value="{xml}" />\n'),
    "netrc": (".netrc", "machine api.acme.io\n  login deploy\n  password {value}\n"),
    "npmrc": (".npmrc", "//registry.acme.io/:_authToken={value}\n"),
    "systemd": ("app.service", "[Service]\nEnvironment={name}={value}\n"),
    "comment": ("a.py", "# {lower}: {value}\n"),
    "yaml-quoted": ("values.yaml", "  {camel}: '{value}'\n"),
    "docker-env-space": ("Dockerfile", "ENV {name} {value}\n"),
    "makefile": ("Makefile", "{name} := {value}\n"),
    "sql": ("init.sql", "CREATE USER app WITH PASSWORD '{value}';\n"),
}
# Where the value has to be quoted to be one word
_URLISH = ("url-query",)
_SUFFICIENT = re.compile(r"[\w\-.~+/=]+\Z")


def placed(kind: str, spec: tuple[str, str], carrier: str, rng: random.Random) -> Sample:
    """One secret in one carrier."""
    every = CARRIERS | HELD_OUT_CARRIERS
    name, template = spec
    value = filled(template, rng)
    if kind in ("github", "npm"):
        prefix = value[:4]
        value = prefix + value[4:34] + base62_crc(value[4:34])
    words = [word for word in re.split(r"[_\-.]+|(?<=[a-z])(?=[A-Z])", name) if word]
    lower = [word.lower() for word in words]
    path, form = every[carrier]
    text = form.format(
        name="_".join(words).upper(),
        lower="_".join(lower),
        kebab="-".join(lower),
        dotted=".".join(lower),
        camel=lower[0] + "".join(word.capitalize() for word in lower[1:]),
        pascal="".join(word.capitalize() for word in lower),
        value=value,
        xml=value.replace("&", "&amp;"),
        b64=base64.b64encode(value.encode()).decode(),
    )
    return Sample(kind, carrier, path, text, value)


def secrets(
    kinds: dict[str, tuple[str, str]], carriers: dict[str, tuple[str, str]], seed: int
) -> Iterator[Sample]:
    """Each kind in each carrier that could hold it."""
    rng = random.Random(seed)
    for kind, spec in kinds.items():
        for carrier in carriers:
            sample = placed(kind, spec, carrier, rng)
            if carrier in _URLISH and not _SUFFICIENT.match(sample.value):
                continue
            if "#" in sample.value or "'" in sample.value:  # begins a comment, ends a string
                sample = Sample(*(part.replace("#", "7") for part in sample))
            if carrier in ("curl-user",) and sample.value.startswith("http"):
                continue
            yield sample


_SOME_WORDS = (
    "account request response handler session user profile header policy manager provider "
    "refresh access grant client server default primary public button label error message "
    "settings reset change update create delete invalid missing required expired forgotten"
)
_WORDS = _SOME_WORDS.split()


def _sentence(rng: random.Random, count: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(count))


def _camel(rng: random.Random, count: int) -> str:
    words = [rng.choice(_WORDS) for _ in range(count)]
    return words[0] + "".join(word.capitalize() for word in words[1:])


_Make = Callable[[random.Random], tuple[str, str]]
LOOKALIKES: dict[str, _Make] = {
    "call": lambda r: ("a.py", f"password = get_{r.choice(_WORDS)}_password()\n"),
    "type": lambda r: (
        "a.py",
        f"def f(token: {_camel(r, 2).capitalize()}, password: str) -> None: ...\n",
    ),
    "env-ref": lambda r: ("a.py", f'API_KEY = os.environ["{_camel(r, 2).upper()}_API_KEY"]\n'),
    "template": lambda r: (".env", f"API_KEY=${{{_camel(r, 2).upper()}_KEY}}\n"),
    "placeholder": lambda r: (".env.example", f"API_KEY=your-{r.choice(_WORDS)}-api-key-here\n"),
    "sha": lambda r: ("a.yml", filled("      - uses: actions/checkout@{H40} # v4\n", r)),
    "integrity": lambda r: (
        "package-lock.json",
        filled('      "integrity": "sha512-{B86}=="\n', r),
    ),
    "uuid": lambda r: ("a.json", filled('{"request_id": "{uuid}"}\n', r)),
    "i18n": lambda r: ("locales/de.json", f'{{"password": "{_sentence(r, 3).capitalize()}"}}\n'),
    "css": lambda r: ("a.css", filled("a { color: #{H6}; background: #{H6} }\n", r)),
    "model": lambda r: (
        "a.py",
        f'tokenizer = "org-{r.choice(_WORDS)}/Model-{r.randint(2, 9)}.1-'
        f'{r.randint(1, 90)}B-Instruct"\n',
    ),
    "docs": lambda r: (
        "README.md",
        f"The token is the {_sentence(r, 4)}; the password: {_sentence(r, 3)}.\n",
    ),
}
HELD_OUT_LOOKALIKES: dict[str, _Make] = {
    "tokens-count": lambda r: ("a.py", f"max_tokens = {r.randint(1000, 99999999)}\n"),
    "token-model": lambda r: (
        "a.py",
        f'token_model = "{r.choice(_WORDS)}-sonnet-4-5-{r.randint(20240101, 20261231)}"\n',
    ),
    "hash-name": lambda r: ("a.py", filled('PASSWORD_HASH = "{H64}"\n', r)),
    "bcrypt": lambda r: (
        "seed.sql",
        filled("INSERT INTO users (password) VALUES ('$2b$12${A53}');\n", r),
    ),
    "secret-ref": lambda r: (
        "d.yaml",
        "        valueFrom:\n          secretKeyRef:\n"
        f"            name: {r.choice(_WORDS)}-{r.choice(_WORDS)}-secret\n"
        f"            key: {r.choice(_WORDS)}-password\n",
    ),
    "arn": lambda r: (
        "a.tf",
        filled(
            f'secret_arn = "arn:aws:secretsmanager:eu-west-1:{{N12}}:secret:'
            f'{r.choice(_WORDS)}/db-{{A6}}"\n',
            r,
        ),
    ),
    "vault-path": lambda r: (
        "a.yml",
        f"secret: vault:secret/data/{r.choice(_WORDS)}/{r.choice(_WORDS)}#password\n",
    ),
    "workflow-secret": lambda r: (
        ".github/workflows/a.yml",
        f"          token: ${{{{ secrets.{r.choice(_WORDS).upper()}_TOKEN }}}}\n",
    ),
    "public-key": lambda r: (
        "id.pub",
        filled("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{B43} me@host\n", r),
    ),
    "certificate": lambda r: (
        "ca.pem",
        "-----BEGIN CERTIFICATE-----\n"
        + "".join(filled("{B64}\n", r) for _ in range(12))
        + "-----END CERTIFICATE-----\n",
    ),
    "image": lambda r: (
        "a.html",
        filled('<img src="data:image/png;base64,iVBORw0KGgo{B700}">\n', r),
    ),
    "go-sum": lambda r: ("go.sum", filled("github.com/acme/token v1.2.3 h1:{B43}=\n", r)),
    "cargo-lock": lambda r: (
        "Cargo.lock",
        filled('[[package]]\nname = "token-stream"\nversion = "0.1.2"\nchecksum = "{H64}"\n', r),
    ),
    "yarn-lock": lambda r: (
        "yarn.lock",
        filled(
            'js-tokens@^4.0.0:\n  version "4.0.0"\n'
            '  resolved "https://packages.acme.io/js-tokens/-/js-tokens-4.0.0.tgz#{H40}"\n'
            "  integrity sha512-{B86}==\n",
            r,
        ),
    ),
    "poetry": lambda r: (
        "poetry.lock",
        filled('    {file = "passlib-1.7.tar.gz", hash = "sha256:{H64}"},\n', r),
    ),
    "etag": lambda r: ("a.http", filled('ETag: "{H32}"\nIf-None-Match: "{H32}"\n', r)),
    "cache-key": lambda r: ("a.yml", filled("      cache-key: v3-linux-{H40}\n", r)),
    "i18n-props": lambda r: (
        "messages_fr.properties",
        f"login.password={_sentence(r, 2).capitalize()}\nlogin.token.invalid={_sentence(r, 5)}\n",
    ),
    "po": lambda r: (
        "fr.po",
        f'msgid "Your password: {_sentence(r, 2)}"\nmsgstr "Mot de passe: {_sentence(r, 2)}"\n',
    ),
    "enum": lambda r: (
        "a.ts",
        f"export enum Token {{ {_camel(r, 2).capitalize()} = '{_camel(r, 3)}' }}\n",
    ),
    "constant-name": lambda r: (
        "a.java",
        f'static final String PASSWORD_KEY = "com.acme.{r.choice(_WORDS)}.{_camel(r, 2)}";\n',
    ),
    "label": lambda r: ("a.tsx", f'<Input name="password" placeholder="{_sentence(r, 3)}" />\n'),
    "class": lambda r: (
        "a.html",
        f'<input type="password" class="{_sentence(r, 2).replace(" ", "-")}-input-lg2"'
        ' id="user-password-1">\n',
    ),
    "selector": lambda r: (
        "a.spec.ts",
        f"const password = page.locator('[data-test={r.choice(_WORDS)}-password-2]');\n",
    ),
    "url": lambda r: (
        "a.py",
        f'TOKEN_URL = "https://login.acme.io/{r.choice(_WORDS)}/oauth2/v2.0/token"\n',
    ),
    "file": lambda r: ("a.yml", f"password_file: /run/secrets/{r.choice(_WORDS)}_db_password_v2\n"),
    "file-value": lambda r: (
        "a.ini",
        f"secret = /etc/{r.choice(_WORDS)}/keys/signing-key-2024.pem\n",
    ),
    "attribute": lambda r: ("a.py", f"self.token = request.{_camel(r, 2)}.token2.value\n"),
    "chain": lambda r: ("a.js", f"const token = {_camel(r, 2)}.{_camel(r, 3)}[0].accessToken1;\n"),
    "await": lambda r: (
        "a.js",
        f"const secret = await vault.{_camel(r, 2)}('{r.choice(_WORDS)}/db2');\n",
    ),
    "fstring": lambda r: ("a.py", 'auth = f"Bearer {' + _camel(r, 3) + '}"\n'),
    "header-template": lambda r: (
        "a.sh",
        f'curl -H "Authorization: Bearer ${r.choice(_WORDS).upper()}_TOKEN_2" https://a.io\n',
    ),
    "dollar": lambda r: (
        "docker-compose.yml",
        f"      - DB_PASSWORD=${r.choice(_WORDS).upper()}_DB_PASSWORD\n",
    ),
    "compose-default": lambda r: (
        "docker-compose.yml",
        "      POSTGRES_PASSWORD: postgres\n      DATABASE_URL: postgres://postgres:postgres@db:5432/app\n",
    ),
    "example-url": lambda r: (
        "README.md",
        "postgresql://user:password@localhost:5432/db\nmysql://root:secret@mysql/app\n",
    ),
    "jwtio": lambda r: (
        "a.md",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9|.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ|.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c\n".replace(
            "|", ""
        ),
    ),
    "aws-doc": lambda r: (
        "a.md",
        "AWS_ACCESS_KEY_ID=AK"
        + "IAIOSFODNN7EXAMPLE\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n",
    ),
    "xxxx": lambda r: (
        "a.md",
        "export GITHUB_TOKEN=gh" + f"p_{'x' * 36}\nSLACK=xox" + f"b-{'0' * 12}-{'X' * 24}\n",
    ),
    "stripe-test": lambda r: ("a.js", filled("const publishable = 'pk_test_{A24}';\n", r)),
    "minified": lambda r: (
        "app.min.js",
        ";".join(
            f"var {filled('{l2}', r)}=function(e,t){{return e.token=t.password"
            f"||n({r.randint(1, 999)})}}"
            for _ in range(9)
        )
        + "\n",
    ),
    "licence": lambda r: (
        "a.md",
        "license_key: XXXX-XXXX-XXXX-XXXX\nLICENSE_KEY=<your license key>\n",
    ),
    "sri": lambda r: (
        "a.html",
        filled('<script src="x.js" integrity="sha384-{B64}" crossorigin></script>\n', r),
    ),
    "docker-digest": lambda r: (
        "Dockerfile",
        filled("FROM python:3.12@sha256:{H64}\nARG TOKEN_FILE=/run/secrets/token\n", r),
    ),
    "nix": lambda r: ("a.nix", filled('  sha256 = "{a52}";\n  hash = "sha256-{B43}=";\n', r)),
    "test-password": lambda r: (
        "tests/test_login.py",
        f'    client.login(username="alice", password="{r.choice(_WORDS)}123")\n',
    ),
    "dummy": lambda r: (
        "tests/conftest.py",
        f'SECRET_KEY = "not-a-secret-{r.choice(_WORDS)}-key-for-tests"\n',
    ),
    "django": lambda r: ("settings.py", 'SECRET_KEY = "django-insecure-change-me-in-production"\n'),
    "keyboard": lambda r: (
        "a.ts",
        f"keys: '{_camel(r, 3)}', shortcut: 'Ctrl+Shift+{r.choice('ABCXYZ')}1'\n",
    ),
    "ip": lambda r: ("a.yml", f"token_endpoint: http://10.0.{r.randint(1, 9)}.7:8080/token\n"),
    "regex": lambda r: ("a.py", 'TOKEN_PATTERN = r"[A-Za-z0-9_\\-]{20,40}\\.[A-Za-z0-9]+"\n'),
    "git-oid": lambda r: (".gitmodules", filled("# pinned token library at {H40}\n", r)),
    "guid-sln": lambda r: ("a.sln", filled("    PublicKeyToken={H16}, Version=1.0.0.0\n", r)),
    "npm-script": lambda r: (
        "package.json",
        '  "js-tokens": "^4.0.0", "passport-jwt": "4.0.1", "secretlint": "workspace:*"\n',
    ),
    "schema": lambda r: (
        "a.json",
        '{"password": {"type": "string", "minLength": 12, "format": "password"}}\n',
    ),
    "graphql": lambda r: (
        "a.graphql",
        f"mutation {{ login(password: $password, token: {_camel(r, 2)}) {{ token }} }}\n",
    ),
    "proto": lambda r: ("a.proto", "  string access_token = 1;\n  bytes secret_key_v2 = 12;\n"),
    "csharp-prop": lambda r: ("A.cs", "public string Password { get; set; } = string.Empty;\n"),
    "swagger": lambda r: (
        "api.yaml",
        "      securitySchemes:\n        api_key:\n          type: apiKey\n"
        "          name: X-API-Key\n          in: header\n",
    ),
    "long-name": lambda r: ("a.py", f"secret_manager = {_camel(r, 5)}\n"),
    "kebab": lambda r: ("a.yml", f"secret: {'-'.join(r.choice(_WORDS) for _ in range(4))}-v2\n"),
    "version": lambda r: ("a.txt", "token==1.2.3\npassword_strength==0.0.3.post2\n"),
    "date": lambda r: (
        "a.yml",
        "token_expiry: 2026-01-31T10:22:33Z\npassword_changed: 20260131T102233\n",
    ),
    "cookie": lambda r: ("a.py", 'CSRF_COOKIE = "csrftoken"\nTOKEN_HEADER = "X-CSRF-Token"\n'),
    "base64-json": lambda r: (
        "a.json",
        json.dumps({"payload": base64.b64encode(_sentence(r, 12).encode()).decode()}) + "\n",
    ),
    "lorem": lambda r: ("a.md", f"Pass the secret as `--token`, then {_sentence(r, 9)}.\n"),
    "sourcemap": lambda r: (
        "a.js",
        filled("//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozfQ{B120}==\n", r),
    ),
    "color-tokens": lambda r: (
        "tokens.json",
        filled('{"token": {"primary": "#{H6}", "shadow": "0 1px 2px rgba(0,0,0,.{N2})"}}\n', r),
    ),
}


def lookalikes(makes: dict[str, _Make], seed: int, rounds: int = 3) -> Iterator[Sample]:
    """Texts without a secret."""
    rng = random.Random(seed)
    for _round in range(rounds):
        for kind, make in makes.items():
            path, text = make(rng)
            yield Sample(kind, "look-alike", path, text, "")


def sampled(pattern: str, rng: random.Random) -> str:
    """A text that the pattern of a row of the table matches."""
    return "".join(_sampled(re._parser.parse(pattern), rng))  # type: ignore[attr-defined]


def _sampled(tree: object, rng: random.Random) -> Iterator[str]:
    for name, value in tree:  # type: ignore[attr-defined]
        match str(name):
            case "LITERAL":
                yield chr(value)
            case "IN":
                yield rng.choice(_letters(value))
            case "MAX_REPEAT" | "MIN_REPEAT":
                least, most, body = value
                for _ in range(rng.randint(least, min(most, max(least, 64)))):
                    yield from _sampled(body, rng)
            case "SUBPATTERN":
                yield from _sampled(value[3], rng)
            case "BRANCH":
                yield from _sampled(rng.choice(value[1]), rng)
            case "ASSERT" | "ASSERT_NOT":
                pass
            case other:
                raise AssertionError(f"the sampler does not know {other}")


def _letters(parts: list[tuple[object, object]]) -> str:
    letters = ""
    for name, value in parts:
        if str(name) == "NEGATE":
            return "".join(sorted({*map(chr, range(33, 127))} - set(_letters(parts[1:]))))
        if str(name) == "LITERAL":
            letters += chr(value)  # type: ignore[arg-type]
        elif str(name) == "RANGE":
            letters += "".join(map(chr, range(value[0], value[1] + 1)))  # type: ignore[index]
        else:
            letters += BASE62 + "_" if "WORD" in str(value) else string.digits
    return letters
