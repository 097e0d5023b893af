"""The version of a tool that a package brought, and only of that one."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from reviewgate_gh.reviewers.linters._review import package_version
from tests.support import tool


@pytest.mark.parametrize("name", ["ruff", "zizmor"])
def test_it_is_what_the_tool_says_of_itself(name: str) -> None:
    program = str(tool(name))
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    assert re.search(r"\d+\.\d[\w.+-]*", said)[0] == package_version(program)


def test_another_file_of_that_name_has_none(tmp_path: Path) -> None:
    copy = tmp_path / "ruff"
    shutil.copy(tool("ruff"), copy)
    assert package_version(str(copy)) == "" == package_version(str(tmp_path / "gone"))
    (tmp_path / "x").mkdir()
    os.symlink(tool("ruff"), tmp_path / "x/ruff")
    assert package_version(str(tmp_path / "x/ruff")) == package_version(str(tool("ruff")))


def test_a_tool_whose_package_has_another_name_is_asked() -> None:
    assert package_version(str(tool("shellcheck"))) == ""


@pytest.mark.contract(plain=False)
def test_one_that_was_put_in_its_place_is_asked(tmp_path: Path) -> None:
    """A wheel's list names another size."""
    folder = tmp_path / "venv"
    subprocess.run(["python3", "-m", "venv", "--without-pip", folder], check=True)
    [site] = folder.glob("lib/*/site-packages")
    info = site / "mytool-1.2.3.dist-info"
    info.mkdir()
    (folder / "bin/mytool").write_text("#!/bin/sh\n")
    libraries = [str(Path(__file__).parents[3]), str(Path(msgspec.__file__).parents[1])]
    script = f"import sys; sys.path += {libraries!r}\n"
    script += (
        "from reviewgate_gh.reviewers.linters._review import package_version; "
        f"print(package_version({str(folder / 'bin/mytool')!r}))"
    )
    seen = []
    for size in (10, 11):
        (info / "RECORD").write_text(
            f"mytool/__init__.py,,\n../../../bin/mytool,sha256=abc,{size}\n"
        )
        seen.append(
            subprocess.run(
                [folder / "bin/python", "-c", script], capture_output=True, text=True, check=True
            ).stdout.strip()
        )
    assert seen == ["1.2.3", ""]
