"""Variables that make the work tree a place to run or import from: nothing of it runs, and the push
is judged all the same."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from ...support import ROOT, Repo, run
from ..pushing import BAD, Pushing, executable, hook

PROGRAMS = (
    *(
        "git",
        "ruff",
        "shellcheck",
        "zizmor",
        "oxlint",
        "sh",
        "env",
        "cat",
        "mktemp",
        "rm",
        "mv",
        "grep",
        "python",
        "python3",
        "node",
        "npm",
    ),
    *(
        "reviewgate-gh",
        "review-gate",
        "claude",
        "codex",
        "gemini",
        "qwen",
        "bd",
        "mypy",
        "semgrep",
        "bandit",
        "eslint",
        "hadolint",
    ),
)
MODULES = (
    "click",
    "msgspec",
    "yaml",
    "json",
    "re",
    "sitecustomize",
    "usercustomize",
    "reviewgate_gh",
    "pydantic",
    "requests",
    "site",
    "encodings",
    "os",
)
LIBRARY = f"lib/python{sys.version_info[0]}.{sys.version_info[1]}"
PATHS = (
    ".:{path}",
    ":{path}",
    "{path}:",
    "{path}::/nowhere",
    "./:..:{path}",
    "tools:./tools:{path}",
    ".",
)
PYTHON = (
    *(
        {"PYTHONPATH": "."},
        {"PYTHONPATH": ""},
        {"PYTHONPATH": "tools:./"},
        {"PYTHONSTARTUP": "click.py"},
        {"PYTHONHOME": "."},
    ),
    *(
        {"PYTHONUSERBASE": "."},
        {"PYTHONPLATLIBDIR": "."},
        {"PYTHONPATH": ".", "PYTHONUSERBASE": ".", "PYTHONSTARTUP": "click.py"},
    ),
    *(
        {"PYTHONPATH": "{tree}"},
        {"PYTHONPATH": "{tree}/tools:/nowhere"},
        {"PYTHONPATH": "{tree}/../repo"},
    ),
    *(
        {"PYTHONINSPECT": "1"},
        {"PYTHONWARNINGS": "error::click.X"},
        {"PYTHONBREAKPOINT": "click.X"},
        {"PYTHONCASEOK": "1"},
    ),
)
OTHERS = ({"GIT_EXEC_PATH": "."}, {"XDG_CONFIG_HOME": "."}, {"HOME": "."}, {"TMPDIR": "."})


def hostile(tree: Path, ran: Path) -> None:
    """Programs and modules by the names of those that the gate uses; each notes that it ran."""
    note = f"open({str(ran)!r}, 'a').write(__name__ + chr(10))\n"
    for folder in (tree, tree / "tools"):
        for name in PROGRAMS:
            executable(folder / name, f"echo {name} >> {ran}")
        for name in MODULES:
            (folder / f"{name}.py").write_text(note)
    packages = tree / LIBRARY / "site-packages"
    packages.mkdir(parents=True)
    (packages / "own.pth").write_text(f"import os; {note}")
    (packages / "usercustomize.py").write_text(note)


@pytest.fixture
def scene(tmp_path: Path) -> Pushing:
    """A defect is to be pushed; what is hostile lies there, ignored by git."""
    pushing = Pushing.make(tmp_path)
    pushing.repo.commit({"a.txt": BAD, "a.py": "print(undefined)\n", "a.sh": "#!/bin/sh\nls $1\n"})
    hostile(pushing.repo.path, tmp_path / "ran")
    (pushing.repo.path / ".git/info/exclude").write_text("*\n")
    return pushing


def pushed(scene: Pushing, env: dict[str, str]) -> None:
    """The push is refused for its defect, and nothing of the work tree ran."""
    git, path = shutil.which("git"), os.environ["PATH"]
    assert git
    own = {name: value.format(path=path, tree=scene.repo.path) for name, value in env.items()}
    done = run([git, "push", "origin", "main"], scene.repo.path, own)
    assert done.code != 0 and "reviewgate-gh: block" in done.stdout, done.output
    assert all(
        rule in done.stdout
        for rule in ("builtin/conflict-marker", "ruff/F821", "shellcheck/SC2086")
    ), done.output
    assert not (scene.repo.path.parent / "ran").exists(), (
        scene.repo.path.parent / "ran"
    ).read_text()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.req("R008-007")
def test_the_hook_looks_up_no_program_there(scene: Pushing, path: str) -> None:
    pushed(scene, {"PATH": path})


@pytest.mark.parametrize("env", PYTHON, ids=str)
@pytest.mark.req("R008-007")
def test_the_hook_imports_nothing_from_there(scene: Pushing, env: dict[str, str]) -> None:
    pushed(scene, env)


@pytest.mark.parametrize("path", [".:{path}", "."])
def test_nor_with_a_hook_of_the_users_before_it_which_sees_its_own_path(
    scene: Pushing, path: str, tmp_path: Path
) -> None:
    assert scene.repo.cli("hook", "uninstall").code == 0
    executable(hook(scene.repo), f'while read -r line; do :; done; echo "$PATH" > {tmp_path}/seen')
    assert scene.repo.cli("hook", "install").code == 0
    pushed(scene, {"PATH": path, "PYTHONPATH": "."})
    assert path.split(":")[0] in (tmp_path / "seen").read_text().strip().split(":")


@pytest.mark.parametrize("path", [*PATHS, "{tree}/tracked:{path}", "{link}/tracked:{path}"])
def test_the_command_looks_up_no_program_there(scene: Pushing, path: str) -> None:
    tree, link = scene.repo.path, scene.repo.path.parent / "link"
    link.symlink_to(tree)
    for name in PROGRAMS:
        executable(tree / "tracked" / name, f"echo {name} >> {tree.parent / 'ran'}")
    run(["git", "add", "--force", "tracked"], tree)
    named = path.format(path=os.environ["PATH"], tree=tree, link=link)
    done = run(
        [sys.executable, "-P", "-m", "reviewgate_gh", "review", "--commit", "HEAD"],
        tree,
        {"PATH": named, "PYTHONPATH": str(ROOT)},
    )
    assert done.code == 1 and "conflict-marker" in done.stdout, done.output
    assert not (scene.repo.path.parent / "ran").exists(), (
        scene.repo.path.parent / "ran"
    ).read_text()


@pytest.mark.parametrize(
    "python",
    [
        ("-m", "reviewgate_gh"),
        ("-P", "-m", "reviewgate_gh"),
        ("-m", "reviewgate_gh.commands._gate"),
    ],
)
def test_the_command_imports_no_library_from_there(scene: Pushing, python: tuple[str, ...]) -> None:
    """What Python imports by itself before ours is beyond our reach, so only libraries and modules
    of ours lie there."""
    tree = scene.repo.path
    for name in MODULES:
        if name not in ("click", "msgspec", "yaml", "pydantic", "requests"):
            (tree / f"{name}.py").unlink()
    if python[-1].endswith("_gate"):
        python = ("-c", "from reviewgate_gh.__main__ import gate; gate()")
    done = run([sys.executable, *python, "--help"], tree, {"PYTHONPATH": f".:{ROOT}"})
    assert done.code == 0, done.output
    assert not (tree.parent / "ran").exists(), (tree.parent / "ran").read_text()


@pytest.mark.parametrize("env", OTHERS, ids=str)
def test_no_settings_are_read_from_there(repo: Repo, env: dict[str, str], tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    repo.commit({"a.txt": BAD})
    for name in (".gitconfig", "git/config"):
        repo.write(
            {
                name: (
                    f'[core]\n\tsshCommand = touch {mark}\n[alias]\n\tdiff = "!touch {mark}"\n'
                    "[include]\n\tpath = /nowhere\n"
                )
            }
        )
    for name in ("git-diff", "git-rev-parse", "git-cat-file", "git-config", "git-log"):
        executable(repo.path / name, f"touch {mark}")
    done = repo.cli(
        "review", "--commit", "HEAD", env={"GIT_CONFIG_GLOBAL": "", **env} if "HOME" in env else env
    )
    assert done.code == 1 and "conflict-marker" in done.stdout, done.output
    assert not mark.exists()


def test_packages_of_the_user_alone_are_named_in_the_hook(tmp_path: Path) -> None:
    """After `pip install --user`, -I would find nothing; the folder is named as it was when the
    hook was written."""
    site = tmp_path / "base" / LIBRARY / "site-packages"
    site.mkdir(parents=True)
    shutil.copytree(ROOT / "reviewgate_gh", site / "reviewgate_gh")
    env = {"PYTHONUSERBASE": str(tmp_path / "base")}
    code = (
        "from reviewgate_gh.hook.script import hook_text; import sys; "
        "print(hook_text(sys.executable), end='')"
    )
    done = run(
        [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(site)!r}); {code}"],
        tmp_path,
        env,
    )
    assert f"site.addsitedir({str(site)!r})" in done.stdout.replace("'\"'\"'", "'"), done.output
    plain = run([sys.executable, "-P", "-c", code], tmp_path, {**env, "PYTHONPATH": str(ROOT)})
    assert "-I -m reviewgate_gh hook run" in plain.stdout and "addsitedir" not in plain.stdout
    executable(tmp_path / "hook", done.stdout.split("\n", 1)[1])
    assert run([tmp_path / "hook", "origin", "url"], tmp_path, {"PYTHONPATH": "/nowhere"}).code == 0
