"""What git calls binary and a program reads as text."""

import pytest

from reviewgate_gh.steps.masked import is_text, must_be_sniffed

VIDEO = (b"G" + b"\xff\0" * 93 + b"\xff") * 50


@pytest.mark.parametrize("path", ["a.py", "a/b.JS", "x.tsx", "deploy/Dockerfile.prod", ".env.local", "ci.yml", "q.sql", "Makefile"])
def test_code_by_its_name_is_text_whatever_it_holds(path):
    assert is_text(path, None) and is_text(path, b"\xff\xfe\0\0")


@pytest.mark.parametrize("path", ["logo.png", "run", "a.pyc", "lib.so", "archive.tar", "py"])
def test_other_files_with_a_nul_are_binary(path):
    assert not is_text(path, b"\x7fELF\0") and not is_text(path, None)


def test_without_a_nul_where_git_looks_for_one_only_an_attribute_made_it_binary():
    assert is_text("notes.dat", b"plain") and not is_text("notes.dat", b"x" * 7999 + b"\0") and is_text("notes.dat", b"x" * 8000 + b"\0")


def test_a_script_is_known_by_its_first_line_and_a_video_by_its_packets():
    assert must_be_sniffed("bin/run") and is_text("bin/run", b"#!/bin/sh\n# \0\n")
    assert must_be_sniffed("a.ts") and not is_text("a.ts", VIDEO) and is_text("a.ts", b"let x // \0\n")
    assert not must_be_sniffed("a.png")
