"""Which settings apply to a change: the trusted side's files, raised to the organisation's
floor."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, field

from ..findings.waivers_file import waiver_identity
from ..git import Git
from ..git.objects import list_top_level, read_files
from ..git.renames import former_names
from ..git.tree_files import read_own_files_at
from ..model.change import Change
from ..model.config import KEYLESS, Config, SecretsConfig
from ..model.errors import ConfigError, UsageError
from ..model.waiver import Waiver
from ..system.environment import Environment
from ..text.config_file import (
    CONFIG_FILE,
    WAIVER_FILE,
    parse_settings,
    read_waivers,
    settings_digest,
    written_keys,
)
from ..text.secrets.custom import use_kinds
from ..text.secrets.rules import GITLEAKS_CONFIG, GITLEAKS_IGNORE, SecretRules
from ..trust.approvals import damage, git_blob_id, load_approvals, waiver_digest
from ..trust.may_run import may_execute, refused_linters, refused_reviewers
from .check import ConfigSource, check_config
from .floor import apply_floor
from .secret_rules import read_secret_rules

_POLICY = "REVIEWGATE_GH_POLICY"


class AppliedSettings(Struct, frozen=True):
    """The config, where it came from, its digest, the waivers, and what a person should know about
    them.

    `former_names` maps the paths of today to the ones that waivers know them by. `approved`: what
    the config declares may run here; `refused_reviewers` and `refused_linters` say why some must
    not. `secret_rules`: what counts as a secret here.
    """

    config: Config
    source: str
    digest: str
    waivers: tuple[Waiver, ...]
    notices: tuple[str, ...]
    former_names: Mapping[str, tuple[str, ...]]
    approved: bool = True
    refused_reviewers: Mapping[str, str] = field(default_factory=dict)
    refused_linters: Mapping[str, str] = field(default_factory=dict)
    secret_rules: SecretRules = SecretRules()


def load_settings(
    git: Git, change: Change, environment: Environment, policy: str
) -> AppliedSettings:
    """The settings for this change.

    Raises:
        ConfigError: a file is wrong, the version is not the required one, or a plug-in does not
            exist.
    """
    found = read_own_files_at(git, change.settings_commit, (CONFIG_FILE, WAIVER_FILE))
    ours = approved_files(git, change, (CONFIG_FILE, WAIVER_FILE))
    side = (
        "the change itself"
        if change.settings_commit == change.head
        else "the approved content"
        if CONFIG_FILE in ours
        else "the base"
    )
    data = ours.get(CONFIG_FILE, found.get(CONFIG_FILE))
    config, source, raised = _config(data, side, environment, policy)
    waivers = _waivers(git, change, ours.get(WAIVER_FILE, found.get(WAIVER_FILE)))
    approved = change.trusted or may_execute(data, load_approvals(git), git, environment)
    damaged = damage(git) if not (change.trusted or environment.in_ci) else ""
    notices = (
        *filter(None, [damaged]),
        *_gone_branch(git, change),
        *_changed(git, change, ours),
        *raised,
        *_switched_off(config),
        *_misnamed(git, change),
    )
    former = _former(git, change, waivers)
    reviewers = refused_reviewers(config, _floor_config(policy, environment), approved, change, git)
    rules, unused = _secret_rules(git, change, config.secrets)
    return AppliedSettings(
        config, source, settings_digest(config), waivers, (*notices, *unused), former, approved,
        reviewers, refused_linters(config, approved), rules
    )  # fmt: skip


def _misnamed(git: Git, change: Change) -> tuple[str, ...]:
    """A file that only looks like one of ours is not ignored in silence."""
    top = list_top_level(git, change.head)
    wrong = {name.replace(".yaml", ".yml"): name for name in (CONFIG_FILE, WAIVER_FILE)}
    return tuple(
        f"{name} is not read: rename it to {right}"
        for name, right in wrong.items()
        if name.encode() in top
    )


def _switched_off(config: Config) -> tuple[str, ...]:
    types = {entry.type for entry in config.reviewers.values()}
    return tuple(
        f"reviewers.{name} is off: it was not asked" for name in KEYLESS if name not in types
    )


def _secret_rules(
    git: Git, change: Change, config: SecretsConfig
) -> tuple[SecretRules, tuple[str, ...]]:
    """Those of the trusted side; from now on its own kinds are redacted, too."""
    names = (GITLEAKS_CONFIG, GITLEAKS_IGNORE, *([config.baseline] if config.baseline else ()))
    files = read_files(git, change.settings_commit, names)
    if not files and config == SecretsConfig():
        use_kinds(())
        return SecretRules(), ()
    rules, unused = read_secret_rules(config, files)
    use_kinds(rules.kinds)
    return rules, unused


def _gone_branch(git: Git, change: Change) -> tuple[str, ...]:
    """Without its branch the project's settings count nowhere, which after a rename there is a
    surprise."""
    branch = change.approvals.branch
    if not branch or change.settings_commit != git.empty_tree or git.resolve(branch):
        return ()
    known = branch.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    return (
        (
            f"the trusted branch {known} is gone, so no settings apply; name its replacement: "
            "reviewgate-gh trust --branch REF"
        ),
    )


def approved_files(git: Git, change: Change, names: Sequence[str]) -> dict[str, bytes]:
    """The files of the head whose content was approved: they count although the trusted side has
    others, or none."""
    wanted = [name for name in names if change.approvals.approved_blobs(name)]
    if not wanted or change.settings_commit == change.head:
        return {}
    return {
        name: data
        for name, data in read_files(git, change.head, wanted).items()
        if change.approvals.is_approved(name, git_blob_id(git, data))
    }


def _waivers(git: Git, change: Change, data: bytes | None) -> tuple[Waiver, ...]:
    """Those of the file that counts, and of the head's those that were approved one by one."""
    waivers = {
        waiver_identity(waiver): waiver
        for waiver in (read_waivers(data, WAIVER_FILE) if data is not None else ())
    }
    if change.approvals.waivers and change.settings_commit != change.head:
        with suppress(ConfigError):  # a mistake in the head's file is reported elsewhere
            head = read_files(git, change.head, [WAIVER_FILE]).get(WAIVER_FILE)
            own = read_waivers(head, WAIVER_FILE) if head is not None else ()
            waivers |= {
                waiver_identity(waiver): waiver
                for waiver in own
                if waiver_digest(waiver) in change.approvals.waivers
            }
    return tuple(waivers.values())


def read_config_at(git: Git, revision: str, environment: Environment, policy: str) -> Config:
    """The config as a commit or tree holds it, raised to the organisation's floor.

    Raises:
        ConfigError: it is wrong.
        UsageError: no such commit or tree is here.
    """
    if not git.exists(revision):
        raise UsageError(
            f"the settings of {revision[:12]} apply, but this commit is not in this clone",
            "fetch it, or review again here",
        )
    return parse_config(
        read_own_files_at(git, revision, (CONFIG_FILE,)).get(CONFIG_FILE),
        revision,
        environment,
        policy,
    )


def parse_config(
    data: bytes | None, revision: str, environment: Environment, policy: str
) -> Config:
    """The same for a file that was read there; None if it does not exist.

    Raises:
        ConfigError: it is wrong.
    """
    return _config(data, revision[:12], environment, policy)[0]


def _config(
    data: bytes | None, side: str, environment: Environment, policy: str
) -> tuple[Config, str, tuple[str, ...]]:
    """The config, where it comes from, and what the floor set."""
    config = parse_settings(data, Config, CONFIG_FILE) if data is not None else Config()
    source = f"{CONFIG_FILE} of {side}" if data is not None else "defaults"
    sources = [ConfigSource(CONFIG_FILE, data)] if data is not None else []
    notices: tuple[str, ...] = ()
    if floor := read_floor(policy, environment):
        config, raised = raise_to_floor(floor, config)
        sources.append(floor)
        source = f"{source}, floor {floor.name}"
        notices = (f"the floor {floor.name} set: {', '.join(raised)}",) if raised else ()
    check_config(config, sources)
    return config, source, notices


def _former(git: Git, change: Change, waivers: Sequence[Waiver]) -> Mapping[str, tuple[str, ...]]:
    """Renames before this change, and those of files that it adds; other ones within it are known
    to its findings. A tree has no history, its base has."""
    paths = {waiver.path for waiver in waivers if waiver.path}
    if not paths:
        return {}
    before = git.resolve(change.settings_commit) or git.resolve(change.base)
    commits = dict.fromkeys(filter(None, (before, git.resolve(change.head))))
    found: dict[str, tuple[str, ...]] = {}
    for commit in commits:
        for path, names in former_names(git, commit, paths).items():
            found[path] = tuple(dict.fromkeys((*found.get(path, ()), *names)))
    return found


def read_floor(policy: str, environment: Environment) -> ConfigSource | None:
    """The organisation's floor: the file that the user names, or else REVIEWGATE_GH_POLICY.

    Raises:
        ConfigError: it cannot be read, or holds nothing, as what failed to be fetched does.
    """
    name = policy or environment.variables.get(_POLICY, "")
    if not name:
        return None
    path = environment.cwd / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read the policy {path}: {error.strerror}",
            "name an existing file with --policy",
        ) from None
    if not data.strip():
        raise ConfigError(
            f"the policy {path} is empty", "add settings to it, or leave out --policy"
        )
    return ConfigSource(name, data)


def _floor_config(policy: str, environment: Environment) -> Config | None:
    floor = read_floor(policy, environment)
    return parse_settings(floor.data, Config, floor.name) if floor else None


def is_tracker_of_floor(config: Config, policy: str, environment: Environment) -> bool:
    """The organisation's floor, which the user named, asks for this tracker."""
    floor = _floor_config(policy, environment)
    return floor is not None and floor.tracker == config.tracker


def raise_to_floor(floor: ConfigSource, config: Config) -> tuple[Config, tuple[str, ...]]:
    """The config raised to the floor, and the keys where that changed something."""
    return apply_floor(
        config, parse_settings(floor.data, Config, floor.name), written_keys(floor.data, floor.name)
    )


def require_floor_reviewers(
    names: Sequence[str], door: str, policy: str, environment: Environment
) -> None:
    """Reviewers named on the command line must include those that the organisation's floor requires
    at this entry point.

    Raises:
        UsageError: one of them is left out.
    """
    left_out = [
        name
        for name in (reviewers_of_floor(door, policy, environment) if names else ())
        if name not in names
    ]
    if left_out:
        every = " ".join(f"--reviewer {name}" for name in left_out)
        floor = policy or environment.variables.get(_POLICY, "")
        raise UsageError(
            f"--reviewer leaves out {', '.join(left_out)}, which the policy {floor} requires",
            f"add {every}",
        )


def reviewers_of_floor(door: str, policy: str, environment: Environment) -> tuple[str, ...]:
    """The reviewers that the organisation's floor always requires at this entry point."""
    floor = read_floor(policy, environment)
    written = written_keys(floor.data, floor.name).get("reviewers") if floor else None
    if floor is None or not written:
        return ()
    declared = parse_settings(floor.data, Config, floor.name).reviewers
    return tuple(
        name
        for name, entry in declared.items()
        if name in written and entry.required and (entry.where is None or door in entry.where)
    )


def _changed(git: Git, change: Change, ours: Collection[str]) -> tuple[str, ...]:
    """What to say about gate files of the head that differ from those that count; a whole tree
    changes nothing."""
    if change.whole_tree:
        return ()
    touched = [
        file.path
        for file in change.files
        if file.path in (CONFIG_FILE, WAIVER_FILE) and file.mode != "000000"
    ]
    if change.settings_commit == change.head:
        return tuple(
            f"the change to {path} applies here; on a pull request it applies after the merge"
            for path in touched
        )
    contents = read_files(git, change.head, touched) if touched else {}
    return tuple(_told(path, contents.get(path), ours, change) for path in touched)


def _told(path: str, data: bytes | None, ours: Collection[str], change: Change) -> str:
    if path in ours:
        return (
            f"the change to {path} applies here because you approved it; on a pull request it "
            "applies after the merge"
        )
    valid = _valid(path, data)
    if valid.startswith("it is not"):
        return f"the change to {path} is ignored: {valid}"
    if path == WAIVER_FILE and data is not None and change.approvals.waivers:
        others = [
            w for w in read_waivers(data, path) if waiver_digest(w) not in change.approvals.waivers
        ]
        if not others:
            return (
                f"the change to {path} applies here because you wrote its entries; on a pull "
                "request it applies after the merge"
            )
    return (
        f"the change to {path} does not apply yet: {valid}; it applies after the merge, or "
        "once approved with: reviewgate-gh trust"
    )


def _valid(path: str, data: bytes | None) -> str:
    try:
        if data is None:
            return "it is not valid (it is not a regular file)"
        if path == CONFIG_FILE:
            check_config(parse_settings(data, Config, path), [ConfigSource(path, data)])
        else:
            read_waivers(data, path)
    except ConfigError as error:
        return f"it is not valid ({error.message})"
    return "it is valid"
