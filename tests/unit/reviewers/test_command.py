"""The `command` reviewer: real programs, every way they can end, and what untrusted changes may not
start."""

import stat
from pathlib import Path

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Change, FileDiff
from reviewgate_gh.model.config import Config
from reviewgate_gh.model.review import Review, ReviewRequest, ReviewStatus
from reviewgate_gh.reviewers import command
from reviewgate_gh.reviewers._checkout import open_checkout
from reviewgate_gh.reviewers._context import ReviewContext
from reviewgate_gh.system.environment import Environment
from tests.support import Repo, tool

DIAGNOSTIC = (
    '{"message": "m", "location": {"path": "%s", "range": {"start": {"line": 1}}}, "severity": '
    '"ERROR", "source": {"name": "acme"}}'
)


def _script(folder: Path, body: str) -> str:
    target = folder / "the tool"
    target.write_text(f"#!/bin/sh\n{body}\n")
    target.chmod(target.stat().st_mode | stat.S_IXUSR)
    return str(target)


def _ask(
    repo: Repo,
    options: command.Options,
    *paths: str,
    trusted: bool = True,
    timeout: float = 30,
    bare: bool = False,
) -> Review:
    files = tuple(
        FileDiff(path, path, "M", "100644", "100644", "0" * 40, "0" * 40) for path in paths
    )
    change = Change(str(repo.path), "0" * 40, repo.head, trusted, "0" * 40, files=files)
    environment = Environment(
        {"PATH": "/usr/bin:/bin", "SECRET_TOKEN": "t0ken", "HOME": str(repo.path)}, repo.path
    )
    git = open_repository(repo.path, environment.variables)
    with open_checkout(git, change) as tree:
        context = ReviewContext(
            git, tree, environment, Config(), timeout, frozenset({"skipped.py"})
        )
        assert command.parts(change, options, context) == (
            ("",) if paths or not options.pass_paths else ()
        )
        return command.review(ReviewRequest(change), options, context)


def test_findings_below_the_work_tree(repo: Repo, tmp_path: Path) -> None:
    program = _script(
        tmp_path,
        f"echo '{DIAGNOSTIC % 'src/a.py'}'; echo '{DIAGNOSTIC}' | sed \"s|%s|$PWD/b.py|\"; exit 1",
    )
    answer = _ask(repo, command.Options(argv=(program,)))
    assert (answer.status, answer.found, [f.path for f in answer.findings]) == (
        ReviewStatus.OK,
        2,
        ["src/a.py", "b.py"],
    )
    assert answer.seconds > 0 and {f.rule for f in answer.findings} == {"acme"}


def test_the_program_sees_the_work_tree_and_no_secrets(repo: Repo, tmp_path: Path) -> None:
    repo.write({"only-here.py": "x\n"})
    program = _script(
        tmp_path, f"test -e only-here.py && test -z \"$SECRET_TOKEN\" && echo '{DIAGNOSTIC % 'ok'}'"
    )
    assert _ask(repo, command.Options(argv=(program,))).found == 1


def test_a_program_of_the_repository_by_its_relative_name(repo: Repo) -> None:
    repo.write({"lint.sh": f"#!/bin/sh\necho '{DIAGNOSTIC % 'a'}'\n"})
    repo.file("lint.sh").chmod(0o755)
    assert _ask(repo, command.Options(argv=("./lint.sh",))).found == 1


def test_paths_are_passed_whole(repo: Repo, tmp_path: Path) -> None:
    program = _script(
        tmp_path, f'for path in "$@"; do echo \'{DIAGNOSTIC}\' | sed "s|%s|$path|"; done'
    )
    names = ("-dash.py", "x b/ü.py", "skipped.py")
    answer = _ask(repo, command.Options(argv=(program,), format="rdjsonl", pass_paths=True), *names)
    assert [f.path for f in answer.findings] == ["-dash.py", "x b/ü.py"] == list(answer.covered)


def test_very_many_paths_go_in_several_runs(repo: Repo, tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = _script(tmp_path, f"echo $# >> '{log}'; echo '{DIAGNOSTIC % 'a'}'")
    names = [f"{'d' * 200}/{number:06}.py" for number in range(6000)]
    answer = _ask(repo, command.Options(argv=(program,), pass_paths=True), *names)
    counts = [int(line) for line in log.read_text().split()]
    assert len(counts) > 1 and sum(counts) == len(names) == len(answer.covered)
    assert answer.found == len(counts)


def test_a_quiet_program_is_clean_where_its_format_is_named(repo: Repo) -> None:
    assert _ask(repo, command.Options(argv=("true",), format="rdjsonl")).status is ReviewStatus.OK
    assert _ask(repo, command.Options(argv=("true",))).status is ReviewStatus.UNPARSABLE
    assert (
        _ask(repo, command.Options(argv=("false",), format="rdjsonl")).status is ReviewStatus.FAILED
    )


def test_nothing_to_pass_means_nothing_to_ask(repo: Repo) -> None:
    _ask(repo, command.Options(argv=("true",), pass_paths=True))  # looks at parts()


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ("exit 2", ReviewStatus.FAILED, "exit code 2: no error output"),
        (
            "echo '{\"comments\": []}'; exit 1",
            ReviewStatus.FAILED,
            "exit code 1 means findings, but it printed none",
        ),
        (
            "echo one >&2; echo the reason >&2; exit 7",
            ReviewStatus.FAILED,
            "exit code 7: the reason",
        ),
        ("kill -9 $$", ReviewStatus.FAILED, "exit code -9"),
        ("sleep 60", ReviewStatus.TIMEOUT, "deadline"),
        ("echo garbage", ReviewStatus.UNPARSABLE, "not a report"),
        ("exit 0", ReviewStatus.UNPARSABLE, "not a report"),
        (f"echo '{DIAGNOSTIC[:-3]}'", ReviewStatus.UNPARSABLE, "not a report"),
        ('echo \'{"version": "2.1.0", "runs": []}\'', ReviewStatus.UNPARSABLE, "no run"),
    ],
)
def test_every_way_to_break(
    body: str, status: ReviewStatus, error: str, repo: Repo, tmp_path: Path
) -> None:
    answer = _ask(repo, command.Options(argv=(_script(tmp_path, body),)), timeout=1)
    assert (answer.status, answer.findings) == (status, ())
    assert error in answer.error and "\n" not in answer.error


def test_a_missing_program(repo: Repo) -> None:
    answer = _ask(repo, command.Options(argv=("no-such-program",)))
    assert answer.status is ReviewStatus.UNAVAILABLE and "no-such-program" in answer.error


def test_one_broken_run_breaks_the_review(repo: Repo, tmp_path: Path) -> None:
    program = _script(
        tmp_path,
        f"test -e '{tmp_path}/again' && exit 9; touch '{tmp_path}/again'; echo "
        f"'{DIAGNOSTIC % 'a'}'",
    )
    names = [f"{'d' * 200}/{number:06}.py" for number in range(6000)]
    answer = _ask(repo, command.Options(argv=(program,), pass_paths=True), *names)
    assert (answer.status, answer.error, answer.covered) == (
        ReviewStatus.FAILED,
        "exit code 9: no error output",
        (),
    )
    assert [f.path for f in answer.findings] == ["a"]  # of the first run


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("exit 7", ReviewStatus.FAILED),
        ("kill -9 $$", ReviewStatus.FAILED),
        ("sleep 60", ReviewStatus.TIMEOUT),
    ],
)
def test_what_it_found_before_it_broke_is_kept(
    end: str, status: ReviewStatus, repo: Repo, tmp_path: Path
) -> None:
    answer = _ask(
        repo,
        command.Options(argv=(_script(tmp_path, f"echo '{DIAGNOSTIC % 'a'}'; {end}"),)),
        timeout=1,
    )
    assert (answer.status, [f.path for f in answer.findings], answer.found) == (status, ["a"], 1)
    assert answer.error and not answer.covered


def test_other_exit_codes_may_mean_it_ran(repo: Repo, tmp_path: Path) -> None:
    program = _script(tmp_path, f"echo '{DIAGNOSTIC % 'a'}'; exit 3")
    assert _ask(repo, command.Options(argv=(program,), ok_exits=(0, 3))).status is ReviewStatus.OK
    assert _ask(repo, command.Options(argv=(program,))).status is ReviewStatus.FAILED


def test_a_bare_repository_has_no_work_tree(repo: Repo, tmp_path: Path) -> None:
    bare = repo.clone(tmp_path / "bare.git", "--bare")
    answer = _ask(bare, command.Options(argv=("true",)))
    assert answer.status is ReviewStatus.SKIPPED and "bare" in answer.error


@pytest.mark.parametrize("argv", [(), ("",)])
def test_options_must_name_a_program(argv: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="argv must name a program"):
        command.Options(argv=argv)


def test_a_real_tool(repo: Repo) -> None:
    ruff = tool("ruff")
    repo.write({"a.py": "print(q)\n"})
    answer = _ask(
        repo,
        command.Options(
            argv=(ruff, "check", "--isolated", "--no-cache", "--output-format=sarif", ".")
        ),
    )
    assert [(f.rule, f.path, f.line_start) for f in answer.findings] == [("ruff/F821", "a.py", 1)]
