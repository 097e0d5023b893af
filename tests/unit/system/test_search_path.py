"""Programs are looked up in absolute folders alone."""

import os
from pathlib import Path

import pytest

from reviewgate_gh.system import process
from reviewgate_gh.system.search_path import (
    absolute_folders,
    absolute_path_value,
    find_in_folders,
    outside_work_tree,
    python_folders,
    with_absolute_paths,
)
from tests.e2e.pushing import executable

RELATIVE = ["", ".", "..", "./", "bin", "./bin", "../bin", "~/bin", ".//", "\t"]


@pytest.mark.parametrize("relative", RELATIVE)
@pytest.mark.parametrize(
    "form",
    ["{}:/usr/bin:/bin", "/usr/bin:{}:/bin", "/usr/bin:/bin:{}", "{0}:{0}:/usr/bin:/bin:{0}"],
)
def test_relative_folders_are_none(relative: str, form: str) -> None:
    assert absolute_path_value(form.format(relative)) == "/usr/bin:/bin"


@pytest.mark.parametrize("path", RELATIVE)
def test_without_any_it_is_the_systems_own(path: str) -> None:
    assert absolute_path_value(path) == absolute_path_value(os.defpath) and absolute_path_value(
        path
    ).startswith("/")


def test_a_name_is_found_where_it_is_and_no_path_is_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    executable(tmp_path / "bin/tool", "exit 0")
    executable(tmp_path / "tool", "exit 0")
    monkeypatch.chdir(tmp_path)
    assert find_in_folders("tool", ["/nowhere", str(tmp_path / "bin")]) == str(
        tmp_path / "bin/tool"
    )
    assert (
        find_in_folders("tool", [".", "", "bin"]) is None
        and find_in_folders("bin/tool", ["."]) is None
        and find_in_folders("./tool", absolute_folders("/bin")) is None
    )


def test_variables_that_name_places_name_absolute_ones() -> None:
    given = {
        "HOME": ".",
        "XDG_CONFIG_HOME": "config",
        "GIT_EXEC_PATH": ".",
        "TMPDIR": "",
        "LANG": "C",
        "XDG_CACHE_HOME": "/c",
        "PATH": ".:/a",
    }
    assert with_absolute_paths(given) == {"LANG": "C", "XDG_CACHE_HOME": "/c", "PATH": "/a"}
    assert process.clean_environment(given, {"GIT_EXEC_PATH": "x"}) == {
        "LANG": "C",
        "XDG_CACHE_HOME": "/c",
        "PATH": "/a",
    }


@pytest.mark.parametrize("path", ["{}", ".:{}", "{}:", ":{}", "tools:{}"])
def test_a_program_is_not_taken_from_the_folder_it_runs_in(path: str, tmp_path: Path) -> None:
    executable(tmp_path / "there/tool", "echo there; sub")
    executable(tmp_path / "there/sub", "echo there")
    for name in ("here/tool", "here/sub", "here/tools/tool", "here/tools/sub"):
        executable(tmp_path / name, "echo here")
    env = {"PATH": path.format(f"{tmp_path / 'there'}:/usr/bin:/bin")}
    done = process.run_process(["tool"], cwd=tmp_path / "here", env=env)
    assert done.out.split() == [b"there", b"there"]
    with pytest.raises(process.ToolMissing):
        process.run_process(["only-here"], cwd=tmp_path / "here", env=env)


def test_of_pythonpath_what_lies_outside_of_the_work_tree_is_left(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "in").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tree / "in")
    given = [
        ".",
        "",
        "in",
        str(tree),
        f"{tree}/",
        str(tree / "in"),
        f"{tmp_path}/x/../tree/in",
        str(tmp_path / "link"),
        str(tmp_path / "out"),
    ]
    assert python_folders({"PYTHONPATH": os.pathsep.join([*given, f"{tree}-too"])}, str(tree)) == [
        str(tmp_path / "out"),
        f"{tree}-too",
    ]
    assert python_folders({}, str(tree)) == []


def test_a_program_of_the_work_tree_is_taken_only_where_there_is_no_other(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    (home / ".git").mkdir(parents=True)
    (home / "src/a").mkdir(parents=True)
    for folder in (home, other):
        executable(folder / "bin/prog", ":")
    (tmp_path / "link").symlink_to(home / "bin")
    folders = [f"{home}/bin", f"{tmp_path}/link", f"{other}/../home/bin", f"{other}/bin"]
    path, start = os.pathsep.join(folders), str(home / "src/a")
    assert outside_work_tree(path, start, "prog") == f"{other}/bin"
    assert outside_work_tree(path, str(other), "prog") == path
    assert outside_work_tree(path, start, "gone") == path
