"""What git calls binary and a program reads as text."""

import pytest

from reviewgate_gh.settings.change import is_text_content, needs_content_check

VIDEO = (b"G" + b"\xff\0" * 93 + b"\xff") * 50


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "a/b.JS",
        "x.tsx",
        "deploy/Dockerfile.prod",
        ".env.local",
        "ci.yml",
        "q.sql",
        "Makefile",
    ],
)
def test_code_by_its_name_is_text_whatever_it_holds(path):
    assert is_text_content(path, None) and is_text_content(path, b"\xff\xfe\0\0")


@pytest.mark.parametrize("path", ["logo.png", "run", "a.pyc", "lib.so", "archive.tar", "py"])
def test_other_files_with_a_nul_are_binary(path):
    assert not is_text_content(path, b"\x7fELF\0") and not is_text_content(path, None)


def test_without_a_nul_where_git_looks_for_one_only_an_attribute_made_it_binary():
    assert (
        is_text_content("notes.dat", b"plain")
        and not is_text_content("notes.dat", b"x" * 7999 + b"\0")
        and is_text_content("notes.dat", b"x" * 8000 + b"\0")
    )


def test_a_script_is_known_by_its_first_line_and_a_video_by_its_packets():
    assert needs_content_check("bin/run") and is_text_content("bin/run", b"#!/bin/sh\n# \0\n")
    assert (
        needs_content_check("a.ts")
        and not is_text_content("a.ts", VIDEO)
        and is_text_content("a.ts", b"let x // \0\n")
    )
    assert not needs_content_check("a.png")
