"""Speed and memory as ratios taken in one run: `pytest -m bench -n0 -s tests/bench`. Nothing here
asserts a time.

The tree is real Python. REVIEWGATE_GH_BENCH="FOLDER OLD NEW" names a clone and two of its
revisions: the tree of NEW, in whose base N Python files are as they were in OLD (ansible v2.7.0 and
v2.9.0 gave the figures that the goals come from). Without it: the standard library and what is
installed beside it, where the base lacks every third block of ten lines.
"""

import os
import random
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.support import ROOT, Repo, run, tool

pytestmark = pytest.mark.bench
HISTORY = os.environ.get("REVIEWGATE_GH_BENCH", "").split()
FULL = bool(os.environ.get("REVIEWGATE_GH_FULL"))
GATE = (sys.executable, "-P", "-m", "reviewgate_gh")
DEFAULTS = ROOT / "reviewgate_gh/reviewers/linters/data/ruff-defaults.toml"
GOALS = {50: "1.6 of help + ruff", 500: "2.0 of ruff", 5000: "1.7 of ruff"}
MEMORY = {50: 60, 500: 100, 5000: 200}


# A small process starts the measured one: a child's peak memory counts from what its parent had.
TIMER = """
import os, sys, time
os.chdir(sys.argv[1])
nowhere = os.open(os.devnull, os.O_RDWR)
started = time.perf_counter()
closed = [(os.POSIX_SPAWN_DUP2, nowhere, n) for n in (0, 1, 2)]
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=closed)
_pid, status, used = os.wait4(pid, 0)
print(time.perf_counter() - started, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status))
"""


def measure(argv: Sequence[str | os.PathLike[str]], cwd: Path, runs: int) -> tuple[float, float]:
    """Least wall seconds and greatest peak memory (MiB) of several runs."""
    rows = [
        run(
            [sys.executable, "-I", "-S", "-c", TIMER, cwd, *argv],
            cwd,
            {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": ""},
        ).stdout.split()
        for _ in range(runs)
    ]
    assert all(int(code) in (0, 1, 2) for _wall, _peak, code in rows), (
        f"{argv[:4]} ended with {rows}"
    )
    return min(float(row[0]) for row in rows), max(float(row[1]) for row in rows)


def sources() -> list[Path]:
    """Real Python files of a usual size, the same on every run."""
    folders = (Path(sysconfig.get_path("stdlib")), Path(sysconfig.get_path("purelib")))
    found = {path.resolve() for folder in folders for path in folder.rglob("*.py")}
    return sorted(path for path in found if 500 < path.stat().st_size < 100_000)


def older(data: bytes) -> bytes:
    rows = data.split(b"\n")
    return b"\n".join(row for number, row in enumerate(rows) if number // 10 % 3 != 2)


def make(path: Path, count: int) -> tuple[Repo, list[str]]:
    """A repository whose last commit changes `count` files."""
    return from_history(path, count, *HISTORY) if HISTORY else from_installed(path, count)


def from_history(path: Path, count: int, folder: str, old: str, new: str) -> tuple[Repo, list[str]]:
    repo = Repo.init(path)
    asked = [
        run(["git", "rev-parse", *words], Path(folder)).stdout.strip()
        for words in (["--git-path", "objects"], [f"{old}^{{tree}}"], [f"{new}^{{tree}}"])
    ]
    objects, old, new = str(Path(folder, asked[0]).resolve()), asked[1], asked[2]
    repo.write({".git/objects/info/alternates": f"{objects}\n"})
    rows = repo.git("diff-tree", "-r", "--no-renames", "--diff-filter=AM", old, new).splitlines()
    changed = [row.split("\t") for row in rows if row.endswith(".py")]
    chosen = random.Random(count).sample(changed, min(count, len(changed)))
    repo.git("read-tree", new)
    for row, name in chosen:
        mode, _new_mode, oid = row[1:].split(" ")[:3]
        repo.git(
            "update-index",
            *(
                ["--cacheinfo", f"{mode},{oid},{name}"]
                if mode != "000000"
                else ["--force-remove", name]
            ),
        )
    repo.git("commit", "--quiet", "--message", "base")
    repo.git("read-tree", new)
    repo.git("commit", "--quiet", "--message", "head")
    repo.git("reset", "--quiet", "--hard")
    return repo, [name for _row, name in chosen]


def from_installed(path: Path, count: int) -> tuple[Repo, list[str]]:
    everything = sources()
    if len(everything) < count:
        pytest.skip(f"only {len(everything)} Python files are installed here")
    chosen = everything[:: max(1, len(everything) // count)][:count]
    repo = Repo.init(path)
    names = {
        f"pkg{number % 40}/m{number}.py": source.read_bytes()
        for number, source in enumerate(chosen)
    }
    repo.commit({name: older(data) for name, data in names.items()}, "base")
    repo.commit(names, "head")
    return repo, list(names)


@pytest.fixture
def show(capsys) -> Callable[[str], None]:
    def write(text: str) -> None:
        with capsys.disabled():
            print(text)

    return write


@pytest.mark.parametrize("count", [50, 500, 5000])
def test_review_against_bare_ruff(count, tmp_path, show):
    """Bare ruff as a user types it; and, as other figures, the least that it can take: JSON for
    machines, and with our rules."""
    repo, names = make(tmp_path / "repo", count)
    runs = {50: 15, 500: 5, 5000: 3}[count]
    least = [tool("ruff"), "check", "--no-cache", "--output-format=json"]
    commands = {
        "help": [*GATE, "--help"],
        "bare": [tool("ruff"), "check", *names],
        "json": [*least, *names],
        "ours": [*least, "--config", str(DEFAULTS), *names],
        "ruff only": [
            *GATE,
            "review",
            "--commit",
            "HEAD",
            "--output",
            "json",
            "--reviewer",
            "linters",
        ],
        "all keyless": [*GATE, "review", "--commit", "HEAD", "--output", "json"],
    }
    seen = {name: [] for name in commands}
    for _ in range(runs):  # in turns, so that all see the same moods of the machine
        for name, argv in commands.items():
            seen[name].append(measure(argv, repo.path, 1))
    wall = {name: min(row[0] for row in rows) for name, rows in seen.items()}
    rows = [(f"\n{count} files, {len(repo.git('diff', 'HEAD~', 'HEAD').splitlines())} diff lines, "
    f"goal {GOALS[count]}, {MEMORY[count]} MiB"),
            f"  --help {wall['help']:.3f} s, bare ruff {wall['bare']:.3f} s, as JSON "
            f"{wall['json']:.3f} s, with our rules"
            f" {wall['ours']:.3f} s"]  # fmt: skip
    for name in ("ruff only", "all keyless"):
        peak = max(row[1] for row in seen[name])
        rows.append(
            f"  {name:11} {wall[name]:.3f} s = {wall[name] / (wall['help'] + wall['bare']):.2f} "
            "of help + ruff"
            f" = {wall[name] / wall['bare']:.2f} of ruff, {peak:.0f} MiB; where ruff prints JSON"
            f" {wall[name] / (wall['help'] + wall['json']):.2f} and {wall[name] / wall['json']:.2f}"
            f" ({wall[name] / wall['ours']:.2f} with our rules)"
        )
    if count == 500 or FULL:
        rows.append(against_diff_quality(repo, wall["ruff only"]))
    show("\n".join(rows))


_SHELL = "#!/bin/sh\nset -eu\n" + "".join(
    f'step_{n}() {{ echo "$1" | sed "s/a/b/"; }}\n' for n in range(60)
)
_SCRIPT = "".join(
    f"export function part{n}(x) {{ return x.map((y) => y + {n}); }}\n" for n in range(80)
)
_GO = "package a\n\n" + "".join(f"func F{n}(x int) int {{ return x + {n} }}\n\n" for n in range(80))
_WORKFLOW = (
    "name: ci\non: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
    + "".join(f"      - run: make part{n}\n" for n in range(40))
)
_MIXED = {"sh": _SHELL, "js": _SCRIPT, "go": _GO, "yml": _WORKFLOW}


def test_fifty_mixed_files(tmp_path, show):
    """A push of 26 files of Python and 6 each of shell, JavaScript, Go and workflows, beside the
    tools that the gate runs for them, one after the other as a script would."""
    folders = {"yml": ".github/workflows"}
    every = sources()
    chosen = every[:: max(1, len(every) // 26)][:26]
    python = {f"p{at}.py": path.read_bytes() for at, path in enumerate(chosen)}
    head = python | {
        f"{folders.get(suffix, suffix)}/f{at}.{suffix}": f"{text}".encode()
        for suffix, text in _MIXED.items()
        for at in range(6)
    }
    repo = Repo.init(tmp_path / "repo")
    repo.commit({name: older(data) for name, data in head.items()}, "base")
    repo.commit(head, "head")
    names = {suffix: [name for name in head if name.endswith(suffix)] for suffix in ("py", *_MIXED)}
    bare = {
        "ruff": ["check", "--no-cache", *names["py"]],
        "shellcheck": names["sh"],
        "oxlint": names["js"],
        "zizmor": ["--offline", *names["yml"]],
        "ast-grep": ["scan", "--inline-rules={id: a, language: go, rule: {kind: ERROR}}",
                     *names["go"]],
    }  # fmt: skip
    rows = {name: measure([tool(name), *argv], repo.path, 5) for name, argv in bare.items()
            if tool(name)}  # fmt: skip
    wall, peak = measure([*GATE, "review", "--commit", "HEAD", "--output", "json"], repo.path, 5)
    total, most = sum(row[0] for row in rows.values()), max(row[1] for row in rows.values())
    told = ", ".join(f"{name} {row[0]:.3f} s {row[1]:.0f} MiB" for name, row in rows.items())
    show(
        f"\n50 mixed files: {told}\n  the gate {wall:.3f} s = {wall / total:.2f} of their sum "
        f"({total:.3f} s), {peak:.0f} MiB beside the largest of them with {most:.0f} MiB"
    )


def against_diff_quality(repo: Repo, wall: float) -> str:
    """It asks ruff once a file; it must have found the same files, or there is nothing to
    compare."""
    argv = [tool("diff-quality"), "--violations=ruff.check", "--compare-branch=HEAD~"]
    env = {"PATH": f"{Path(tool('ruff')).parent}:{os.environ['PATH']}"}
    started = time.perf_counter()
    said = run(argv, repo.path, env).stdout
    other = time.perf_counter() - started
    assert "% Quality" in said, said
    return (
        f"  {'':11} = {wall / other:.3f} of diff-quality ({other:.1f} s), goal .20 at 500, .06 "
        "at 5,000"
    )


def test_start_up(tmp_path, show, repo):
    help_wall, peak = measure([*GATE, "--help"], repo.path, 15)
    pre_commit, _ = measure([tool("pre-commit"), "--help"], repo.path, 15)
    noop, _ = measure([*GATE, "hook", "run", "origin", "nowhere"], repo.path, 15)
    show(f"\n--help {help_wall:.3f} s ({peak:.0f} MiB) = {help_wall / pre_commit:.2f} of "
    "pre-commit --help; the hook without work = "
         f"{noop / help_wall:.2f} of --help")  # fmt: skip


READ = """
import os
from pathlib import Path
from reviewgate_gh.git import open_repository
from reviewgate_gh.git.diff import diff_trees
from reviewgate_gh.git.diff import parse
git = open_repository(Path("."), os.environ)
files = parse(diff_trees(git, git.resolve("HEAD~"), git.resolve("HEAD")))
assert sum(h.body.count(b"\\n") for f in files for h in f.hunks) > 500_000
"""


def test_a_diff_of_500_000_lines(tmp_path, show):
    rows = [f"value_{number} = {number * 7919 % 1000}\n" for number in range(1000)]
    repo = Repo.init(tmp_path / "repo")
    repo.commit(
        {
            f"d{n % 50}/f{n}.py": "".join(
                rows[i] for i in range(1000) if i % 20 < 10 or i % 7 == n % 7
            )
            for n in range(600)
        },
        "base",
    )
    repo.commit({f"d{n % 50}/f{n}.py": "".join(rows) for n in range(600)}, "head")
    git_wall, _ = measure(
        ["git", "diff-tree", "-r", "-p", "--raw", "-z", "-M", "-U3", "HEAD~", "HEAD"], repo.path, 5
    )
    start, _ = measure([sys.executable, "-c", READ.partition("git =")[0]], repo.path, 5)
    whole, peak = measure([sys.executable, "-c", READ], repo.path, 5)
    show(
        f"\na diff of 600,000 lines: git and parser {whole - start:.2f} s = "
        f"{(whole - start) / git_wall:.2f} of git's own"
        f" {git_wall:.2f} s, {peak:.0f} MiB"
    )
