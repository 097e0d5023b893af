"""What every linter plug-in offers, and how its parser meets what is not its format."""

import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewgate_gh.model.finding import Finding
from reviewgate_gh.reviewers._context import LinterPlugin
from reviewgate_gh.reviewers.linters import _shared
from reviewgate_gh.system import plugins

from .linter_samples import SAMPLES

NAMES = plugins.names("linters")
LINTERS = [plugins.load("linters", name) for name in NAMES]
DEFAULTS = {"ruff", "shellcheck", "zizmor", "oxlint", "ast_grep", "defects"}
SILENT_WHEN_CLEAN = {
    "ruff",
    "mypy",
    "buf",
    "cppcheck",
    "go_vet",
    "javac",
    "luacheck",
    "perlcritic",
    "shfmt",
    "taplo",
    "staticcheck",
    "kube_linter",
    "dotnet_format",
    "typos",
    "yamllint",
}
TAKES_NO_CONFIG = {"shfmt"}  # without the project's, its words alone say what it is to do
DATA = Path(_shared.__file__).parent / "data"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
ONE_LINE = r"^[^\n]+$"
GARBAGE = (
    b"garbage",
    b"{",
    b"[{]",
    b"\xff\xfe",
    b"null",
    b"3",
    b'"x"',
    b"[3]",
    b'{"a": 1}',
    b"\0",
    b"[" * 100_000,
)
FEW = settings(max_examples=settings.default.max_examples // 3)  # of each linter
every = pytest.mark.parametrize("linter", LINTERS, ids=NAMES)


def _id(linter: ModuleType) -> str:
    return linter.__name__.rpartition(".")[2]


@every
def test_it_offers_what_the_protocol_names(linter: ModuleType) -> None:
    assert linter.__doc__ and linter.parse.__doc__ and linter.argv.__doc__
    assert isinstance(linter.PROGRAM, str) and linter.PROGRAM
    assert isinstance(linter.DEFAULT, bool) and isinstance(linter.EXECUTES_CONFIG, bool)
    settings = ("CONFIG", "DEFAULT_CONFIG", "CONFIG_FOLDER", "WHEN_INSTALLED")
    assert any(getattr(linter, name, None) for name in settings) and all(
        isinstance(glob, str) and "/" not in glob for glob in linter.CONFIG
    )
    for exits in (linter.CLEAN_EXITS, linter.FOUND_EXITS):
        assert exits and all(isinstance(code, int) for code in exits)
    assert linter.INSTALL.startswith(("install", "it comes"))
    assert linter.DEFAULT is (_id(linter) in DEFAULTS)


@every
def test_its_public_names_are_the_protocols(linter: ModuleType) -> None:
    optional = {
        "WHOLE_TREE",
        "ANY_CASE",
        "SCRIPTS",
        "fits",
        "WHEN_INSTALLED",
        "NEEDS_TREE",
        "SECONDS",
        "STDERR",
        "ONE_BY_ONE",
        "ROWS",
        "LAGS",
        "EXIT_COUNTS",
        "ENVIRONMENT",
        "ACCEPTED",
        "NEIGHBOURS",
        "PER_FILE",
        "BASE_DECIDES",
        "CAUSED_ELSEWHERE",
        "COUNTS_ASIDE",
        "CONFIG_FOLDER",
        "assemble",
        "configures",
        "DEPTH",
        "UNNUMBERED",
        "VERSION",
        "alone",
        "answered",
        "counts",
        "crashed",
        "executes",
        "explain",
        "explanation",
        "extends",
        "folders",
        "lists",
        "may_leave_out",
        "nested_config",
        "passed_over",
        "relocate",
        "shows",
        "reads",
        "spared",
        "stopped",
        "unread_parts",
        "unreadable",
        "why",
        "withheld",
    }
    allowed = {*LinterPlugin.__annotations__, "argv", "parse"} | optional
    public = {
        name: value
        for name, value in vars(linter).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    own = {
        name
        for name, value in public.items()
        if getattr(value, "__module__", linter.__name__) == linter.__name__
    }
    assert own <= allowed, own - allowed
    assert allowed - optional <= set(vars(linter))


@every
def test_its_default_config_is_shipped_under_a_name_of_its_own(linter: ModuleType) -> None:
    if linter.DEFAULT_CONFIG is not None:
        assert (DATA / linter.DEFAULT_CONFIG).is_file()
        ours = DATA / linter.DEFAULT_CONFIG
        words = linter.argv("p", ours, ())
        assert any(str(ours) in word for word in words) or (
            _id(linter) in TAKES_NO_CONFIG and words != linter.argv("p", None, ())
        )


def test_no_shipped_config_is_left_over() -> None:
    assert {entry.name for entry in DATA.iterdir()} == {
        linter.DEFAULT_CONFIG for linter in LINTERS if linter.DEFAULT_CONFIG
    }


@every
def test_its_command_starts_with_the_program_and_holds_the_users_words(linter: ModuleType) -> None:
    argv = linter.argv("/bin/the program", None, ("--users-own", "word"))
    assert argv[0] == "/bin/the program"
    assert argv[argv.index("--users-own") + 1] == "word"
    assert all(isinstance(word, str) for word in argv)


@every
@pytest.mark.req("R005-007")
def test_garbage_is_refused(linter: ModuleType) -> None:
    for garbage in GARBAGE:
        with pytest.raises(ValueError, match=ONE_LINE):
            list(linter.parse([garbage]))


@every
def test_no_output_is_an_answer_only_where_clean_files_leave_none(linter: ModuleType) -> None:
    if _id(linter) in SILENT_WHEN_CLEAN:
        assert list(linter.parse([])) == []
    else:
        with pytest.raises(ValueError, match=ONE_LINE):
            list(linter.parse([]))


@every
@FEW
@given(value=JSON)
def test_any_json_is_findings_or_a_value_error(linter: ModuleType, value: object) -> None:
    _parse(linter, json.dumps(value).encode())


def _parse(linter: ModuleType, data: bytes) -> None:
    found: list[Finding] = []
    refused = ""
    try:
        found = list(linter.parse(data.splitlines(keepends=True)))
    except ValueError as error:
        refused = f"{error}"
    assert "\n" not in refused
    for finding in found:
        assert isinstance(finding, Finding)
        assert finding.fingerprint and finding.title and "\n" not in finding.title


@every
@pytest.mark.req("R005-007")
def test_cut_anywhere_is_refused(linter: ModuleType) -> None:
    data = _printed(_sample(linter))
    assert list(linter.parse(data.splitlines(keepends=True)))
    for end in range(1, len(data)):
        with pytest.raises(ValueError, match=ONE_LINE):
            list(linter.parse(data[:end].splitlines(keepends=True)))


@every
@FEW
@given(data=st.data())
def test_a_changed_value_is_findings_or_a_value_error(
    linter: ModuleType, data: st.DataObject
) -> None:
    sample = _sample(linter)
    if isinstance(sample, str):
        at = data.draw(st.integers(0, len(sample)))
        _parse(linter, f"{sample[:at]}{data.draw(st.text(max_size=3))}{sample[at + 1 :]}".encode())
        return
    sample = json.loads(json.dumps(sample))
    holder, key = data.draw(st.sampled_from(_leaves(sample)))
    holder[key] = data.draw(JSON)
    _parse(linter, json.dumps(sample).encode())


def _printed(sample: object) -> bytes:
    """The result as the tool prints it: a line of text, or JSON."""
    return (sample if isinstance(sample, str) else json.dumps(sample)).encode()


def _sample(linter: ModuleType) -> object:
    assert _id(linter) in SAMPLES, (
        "tests/contract/linter_samples.py: add one result as the tool prints it"
    )
    return SAMPLES[_id(linter)]


def _leaves(value: object) -> list[tuple[object, object]]:
    """Every place of a document as (holder, key)."""
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [place for key, inner in items for place in ((value, key), *_leaves(inner))]
