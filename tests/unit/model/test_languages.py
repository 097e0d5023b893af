"""Which language a file is in, by its path, mode, `#!` line and content."""

import pytest

from reviewgate_gh.model import language_table as known
from reviewgate_gh.model.languages import (
    detect_language,
    is_executed,
    language_by_path,
    needs_content,
)
from reviewgate_gh.system import plugins

PLAIN, PROGRAM = "100644", "100755"
_NO_CODE = (
    "README.md a.txt a.json b.YAML c.toml d.csv a.lock go.mod go.sum LICENSE a.css a.xml "
    "x.po a.ini Dockerfile.md requirements.txt"
    " .gitignore pre-commit update a.unheard-of r c build a.rst"
)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".lldbinit", "LLDB"), ("a.py ", "Python"), ("a.sh\n", "Shell"), ("a.js.", "JavaScript"),
        ("main.go", "Go"), ("A.java", "Java"), ("a.kt", "Kotlin"), ("b.gradle.kts", "Kotlin"),
        ("a.rs", "Rust"), ("a.rb", "Ruby"),
        ("a.php", "PHP"), ("a.c", "C"), ("a.cpp", "C++"), ("a.cs", "C#"), ("a.swift", "Swift"),
        ("a.scala", "Scala"), ("a.py", "Python"),
        ("a.jsx", "JavaScript"), ("a.d.ts", "TypeScript"), ("a.vue", "Vue"), ("a.svelte", "Svelte"),
        ("a.zsh", "Zsh"), ("a.fish", "fish"),
        ("a.ksh", "Shell"), ("a.ps1", "PowerShell"), ("a.bat", "Batch"), ("a.lua", "Lua"),
        ("a.R", "R"),
        ("a.jl", "Julia"),
        ("a.exs", "Elixir"), ("a.erl", "Erlang"), ("a.hs", "Haskell"), ("a.ml", "OCaml"),
        ("a.fs", "F#"), ("a.clj", "Clojure"),
        ("a.dart", "Dart"), ("build.gradle", "Gradle"), ("a.mm", "Objective-C++"), ("a.sql", "SQL"),
        ("a.tf", "Terraform"),
        ("a.hcl", "HCL"),
        ("Dockerfile", "Dockerfile"), ("Dockerfile.dev", "Dockerfile"), ("x/Makefile", "Makefile"),
        ("rules.mk", "Makefile"),
        ("CMakeLists.txt", "CMake"), ("a.nix", "Nix"), ("a.zig", "Zig"), ("a.nim", "Nim"),
        ("a.sol", "Solidity"), ("a.S", "Assembly"),
        ("a.vim", "Vim script"), ("a.el", "Emacs Lisp"), ("a.ipynb", "Jupyter Notebook"),
        ("a.awk", "Awk"), ("a.tcl", "Tcl"),
        ("BUILD", "Starlark"), ("a.bzl", "Starlark"), ("a.proto", "Protocol Buffers"),
        ("a.graphql", "GraphQL"), ("a.cu", "CUDA"),
        ("a.wat", "WebAssembly text"), ("a.cshtml", "Razor"), ("a.html.j2", "Jinja"),
        ("a.erb", "ERB"), ("a.blade.php", "Blade"),
        ("a.f90", "Fortran"), ("a.cob", "COBOL"), ("a.pas", "Pascal"), ("a.adb", "Ada"),
        ("a.cr", "Crystal"), ("a.vhdl", "VHDL"),
        ("X.PY", "Python"), ("MAIN.GO", "Go"), ("a.C", "C++"), ("Gemfile", "Ruby"),
        ("Jenkinsfile", "Groovy"), (".bashrc", "Shell"),
        ("a.py.in", "Python"), ("\udcff.go", "Go"), ("\udcff\udc80/a b\n.kt", "Kotlin"),
        (".husky/pre-commit", "Shell"),
        ("hooks/pre-push", "Shell"), ("a.rmd", "R Markdown"), ("Justfile", "Just"),
        ("a.scss", "SCSS"), ("a.sass", "Sass"), ("a.less", "Less"), ("a.styl", "Stylus"),
        ("a.pcss", "PostCSS"),
    ],
)  # fmt: skip
def test_a_name_tells_the_language(path, name):
    assert detect_language(path, PLAIN, b"") == name
    assert name in known.ALL_LANGUAGES


@pytest.mark.parametrize("path", _NO_CODE.split())
def test_prose_data_and_styles_are_no_code(path):
    assert detect_language(path, PLAIN, b"") == ""


@pytest.mark.parametrize("path", ["README", "README.md", "data.json", "LICENSE", "a.txt"])
def test_the_mode_makes_no_program_of_prose(path):
    assert detect_language(path, PROGRAM, b"hello\n") == "" and not is_executed(
        path, PROGRAM, b"hello\n"
    )


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("#!/bin/sh", "Shell"), ("#! /bin/bash -eu", "Shell"), ("#!/usr/bin/env python3", "Python"),
        ("#!/usr/bin/python3.12 -I", "Python"),
        ("#!/usr/bin/env -S uv run --script", "Python"), ("#!/usr/bin/env -Spython3 -u", "Python"),
        ("#!/usr/bin/env -i bash", "Shell"),
        ("#!/usr/bin/env -u PYTHONPATH python3", "Python"),
        ("#!/usr/bin/env -vS A=1 B=2 node --x", "JavaScript"),
        ("#!/usr/bin/env --split-string=ruby -w", "Ruby"), ("#!/opt/x/pypy3", "Python"),
        ("#!/usr/bin/env zsh", "Zsh"), ("#!fish", "fish"),
        ("#!/usr/bin/perl -w", "Perl"), ("#!/usr/bin/env perl6", "Raku"),
        (("#!/usr/bin/env -S deno run "
        "-A"), "TypeScript"),
        ("#!/usr/bin/env Rscript", "R"), ("#!/usr/bin/lua5.4", "Lua"), ("#!/usr/bin/php8.2", "PHP"),
        ("#!/bin/busybox sh", "Shell"), ("#!/bin/busybox awk -f", "Awk"),
        ("#!/usr/bin/env -S conda run --no-capture-output python", "Python"),
        ("#!/usr/bin/setsid perl -w", "Perl"), ("#!/usr/bin/chrt -f 10 ruby", "Ruby"),
        ("#!/usr/bin/env nobody-knows-it", "executable text"),
        ("#!/usr/bin/make -f", "Makefile"), ("#!/usr/bin/env -S sudo -u root bash", "Shell"),
        ("#!/usr/bin/awk -f", "Awk"),
        ("#!/opt/acme/run", "executable text"), ("#!/usr/bin/env", "executable text"),
        ("#!/usr/bin/env -S", "executable text"),
    ],
)  # fmt: skip
def test_a_script_without_a_suffix_is_told_by_its_first_line(line, name):
    data = f"{line}\nrest\n".encode()
    assert (
        detect_language("bin/run", PLAIN, data) == detect_language("bin/run", PROGRAM, data) == name
    )
    assert needs_content("bin/run", PLAIN)


def test_the_first_line_wins_over_a_suffix():
    assert detect_language("a.sh", PLAIN, b"#!/bin/zsh\n") == "Zsh" and needs_content("a.sh", PLAIN)
    assert detect_language("a.py", PROGRAM, b"#!/usr/bin/perl\n") == "Perl" and needs_content(
        "a.py", PROGRAM
    )
    assert detect_language("a.rs", PLAIN, b"#![no_std]\n") == "Rust", (
        "an attribute is no interpreter"
    )


def test_text_that_a_machine_may_run_is_code_even_in_an_unknown_language():
    assert (
        detect_language("deploy", PROGRAM, b"rm -rf x\n")
        == "executable text"
        == detect_language("a.acme", PROGRAM, b"x\n")
    )
    assert detect_language("deploy", PLAIN, b"rm -rf x\n") == ""


@pytest.mark.parametrize(
    ("path", "data", "name"),
    [
        ("a.html", b"<p>only text</p>", ""), ("a.HTML", b"<SCRIPT>x()</SCRIPT>",
            "HTML with script"),
        ("a.html", "<script>x()</script>".encode("utf-16"), "HTML with script"),
        ("a.htm", b'<svg/onload="x()">', "HTML with script"),
        ("a.html", b'<a href="javascript:x()">', "HTML with script"),
        ("a.html", b"<p>{{ user }}</p>", "HTML template"),
        ("a.html", b'<b v-html="x">', "HTML template"), ("a.svg", b"<svg><path/></svg>", ""),
        ("a.svg", b"<svg onload='x()'>", "SVG with script"),
        ("a.inc", b"<?php echo 1;", "PHP"), ("a.inc", b"x = 1", "include file"),
        ("a.h", b"int f(void);", "C"),
        ("a.h", b"#pragma once\nnamespace a {}", "C++"),
        ("a.h", b"@interface A\n@end", "Objective-C"),
        ("a.m", b"% x\nfunction y = f(x)", "MATLAB"),
        ("a.m", b"#import <A.h>", "Objective-C"), ("a.pl", b":- use_module(x).", "Prolog"),
        ("a.pl", b"use strict;", "Perl"),
        ("a.ts", b'<?xml version="1.0"?><TS>', ""), ("a.ts", b"let x = 1", "TypeScript"),
        ("a.cls", b"\\ProvidesClass{a}", ""),
        ("a.cls", b"public class A {}", "Apex"), ("a.mdx", b"# Words", ""),
        ("a.mdx", b"import A from 'a'", "MDX"),
        ("chart/templates/a.yaml", b"a: {{ .Values.a }}", "Helm template"),
        ("templates/sub/_a.tpl", b"{{ define }}", "Helm template"),
        ("templates/a.yml", b"a: 1", ""),
    ],
)  # fmt: skip
def test_content_tells_where_the_name_leaves_it_open(path, data, name):
    assert needs_content(path, PLAIN) and detect_language(path, PLAIN, data) == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".github/workflows/a.yml", "GitHub workflow"),
        (".github/workflows/x.generated.yaml", "GitHub workflow"),
        ("action.yml", "GitHub action"), ("dist/action.yaml", "GitHub action"),
        (".gitlab-ci.yml", "GitLab CI"),
        (".circleci/config.yml", "CircleCI"), ("azure-pipelines.yml", "Azure Pipelines"),
        (".forgejo/workflows/a.yml", "Gitea workflow"), (".tekton/a.yaml", "Tekton"),
    ],
)  # fmt: skip
def test_what_runs_because_of_its_place_is_code_whatever_it_holds(path, name):
    assert (
        language_by_path(path) == detect_language(path, PLAIN, b"# words") == name
        and is_executed(path, PLAIN, b"")
        and not needs_content(path, PLAIN)
    )


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/sub/a.yml",
        "docs/.github/workflows/a.yml",
        ".github/workflows/a.yml.off",
        "my-action.yml",
    ],
)
def test_the_same_elsewhere_is_data(path):
    assert language_by_path(path) == ""


@pytest.mark.parametrize(
    ("path", "mode", "data", "runs"),
    [
        ("vendor/build.sh", PROGRAM, b"", True), ("vendor/build.sh", PLAIN, b"#!/bin/sh", False),
        ("dist/run", PROGRAM, b"echo", True),
        ("dist/x.py", PROGRAM, b"#!/usr/bin/python3", True),
        ("dist/x.py", PROGRAM, b"x = 1", False),
        ("dist/a.min.js", PROGRAM, b"x", False),
        ("vendor/hooks/pre-commit", PLAIN, b"", True), ("vendor/LICENSE", PROGRAM, b"MIT", False),
    ],
)  # fmt: skip
def test_a_program_is_what_a_system_starts(path, mode, data, runs):
    assert is_executed(path, mode, data) is runs


def test_no_suffix_name_or_interpreter_stands_for_two_languages():
    for table in (known.SUFFIXES, known.NAMES, known.INTERPRETERS):
        words = [word for each in table.values() for word in each.split()]
        assert len(words) == len(set(words)) and all(word == word.lower() for word in words)
    assert not set(known.DATA_SUFFIXES.split()) & {
        word for each in known.SUFFIXES.values() for word in each.split()
    }


@pytest.mark.parametrize("name", plugins.names("linters"))
def test_each_linter_names_languages_that_there_are(name):
    assert set(plugins.load("linters", name).LANGUAGES) <= known.ALL_LANGUAGES


@pytest.mark.parametrize(
    "data",
    [b"\n" * 300_000, b"<" * 300_000, b"<a " * 100_000, b"a(" * 150_000, b"<a " + b" on" * 100_000],
)
@pytest.mark.parametrize("path", ["a.pl", "a.html", "a.m", "a.h", "a.svg"])
def test_odd_content_ends(path, data):
    assert isinstance(detect_language(path, PLAIN, data), str)
