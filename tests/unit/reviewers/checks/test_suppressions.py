"""Comments that silence tools: listed when a stranger adds them."""

import pytest

from reviewgate_gh.findings import suppression_comments
from reviewgate_gh.reviewers.checks import suppressions
from tests.unit.reviewers.checks.support import edited, on, short, sources

# Put together below, so that these tests silence nothing
NO, IGNORE, DISABLE = ("no", "ignore", "disable")
COMMENTS = {
    f"x = 1  # {NO}qa": "noqa",
    f"x = 1  # {NO.upper()}QA: F401": "noqa",
    f"# ruff: {NO}qa": "noqa",
    f"x()  # type: {IGNORE}[arg]": "type ignore",
    f"# pyright: {IGNORE}": "pyright",
    f"x()  # {NO}sec B101": "nosec",
    f"# pylint: {DISABLE}=all": "pylint",
    f"# shellcheck {DISABLE}=SC2086": "shellcheck",
    f"// eslint-{DISABLE}-next-line": "eslint",
    f"/* oxlint-{DISABLE} */": "oxlint",
    f"- uses: a/b@v1 # zizmor: {IGNORE}[x]": "zizmor",
    f"# ruff: file-{IGNORE}[F401]": "ruff",
    f"# ruff: {DISABLE}[F401]": "ruff",
    f"# shellcheck shell=bash {DISABLE}=all": "shellcheck",
    f"x() # {NO}semgrep": "nosemgrep",
    f"x() # {NO}sem": "nosemgrep",
    f"# hadolint global {IGNORE}=DL3008": "hadolint",
    f"x() //{NO}lint:errcheck": "nolint",
    f"# hadolint {IGNORE}=DL3008": "hadolint",
    "key # gitleaks:" + "allow": "gitleaks",
    f"# mypy: {IGNORE}-errors": "mypy",
    f"x()  # ty: {IGNORE}[unresolved]": "ty",
    f"/* eslint no-eval: {NO}ne */": "eslint rule",
    f"// biome-{IGNORE} lint: why": "biome",
    f"x # rubocop:{DISABLE} Lint/Void": "rubocop",
    f"x = 1 -- luacheck: {IGNORE}": "luacheck",
    f"eval $x; ## {NO} critic": "perlcritic",
    f"$x->y(); // @phpstan-{IGNORE}-line": "phpstan",
    f"$x->y(); // @phpstan-{IGNORE} method.notFound": "phpstan",
    "// CHECKSTYLE" + ":OFF": "checkstyle",
    "// CHECKSTYLE" + ".SUPPRESS: LineLength": "checkstyle",
    '@SuppressWarnings("check' + 'style:methodlength")': "checkstyle",
    "// kt" + f"lint-{DISABLE} filename": "ktlint",
    '@file:Suppress("kt' + 'lint:standard:filename")': "ktlint",
    '@Suppress("kt' + 'lint")': "ktlint",
    f"/* stylelint-{DISABLE}-next-line */": "stylelint",
    f"<!-- [html-validate-{DISABLE}-next no-dup-id: why] -->": "html validate",
    f"// buf:lint:{IGNORE} RULE": "buf",
    f"-- squawk-{IGNORE} rule": "squawk",
    f"# yamllint {DISABLE}-line rule:x": "yamllint",
    "tags: [skip_ansible_" + "lint]": "ansible lint",
    f"SELECT a  -- {NO}qa: LT01": "sqruff",
    f"<!-- rumdl-{DISABLE} -->": "rumdl",
    f"//lint:{IGNORE} SA4000 why": "staticcheck",
    f"//lint:file-{IGNORE} SA4000 why": "staticcheck",
    f"// swiftlint:{DISABLE}:next force_cast": "swiftlint",
    f"# tflint-{IGNORE}: rule": "tflint",
    f"    {IGNORE}-check.kube-linter.io/run-as-non-root: why": "kube linter",
    f"    kube-linter.io/{IGNORE}-all: why": "kube linter",
    "#[al" + "low(clippy::eq_op, dead_code)]": "clippy",
    "#![cfg_attr(test, ex" + 'pect(clippy::unwrap_used, reason = "why"))]': "clippy",
    f"#pragma warning {DISABLE} CA1822": "pragma warning",
    f"// ast-grep-{IGNORE}: own-rule": "ast grep",
    f"# reviewgate-gh: {IGNORE}[r] why": "reviewgate gh",
}


@pytest.mark.parametrize("line", COMMENTS)
def test_each_kind_is_listed(line: str) -> None:
    found = list(suppressions.check(sources(edited("a.py", " a", f"+{line}", "+b"), trusted=False)))
    assert [(f.priority.value, f.rule, f.line_start) for f in found] == [
        ("P3", "builtin/new-suppression", 2)
    ]
    assert found[0].title.endswith(f": {COMMENTS[line]}")


def test_each_row_of_the_table_is_tried() -> None:
    rows = suppression_comments.COMMENTS
    assert {each.name.replace("_", " ") for each in rows} == {*COMMENTS.values()}
    for row in rows:
        mine = [line for line, name in COMMENTS.items() if name == row.name.replace("_", " ")]
        assert all(row.hint in line.lower().encode() for line in mine)


def test_not_from_the_user_not_in_documents_not_where_nothing_is_new() -> None:
    line = f"x = 1  # {NO}qa"
    assert on(suppressions, "a.py", line, trusted=True) == []
    assert on(suppressions, "a.md", line, trusted=False) == []
    assert on(suppressions, "a.py", line, trusted=False, whole=True) == []
    assert (
        short(suppressions, sources(edited("a.py", f" {line}", f"-{line}", "+x"), trusted=False))
        == []
    )


@pytest.mark.parametrize(
    "line",
    ["ignore = disable", f"'{NO}qa'", "# disable the check", "ignore_errors: true", "# nosecret"],
)
def test_other_words_are_fine(line: str) -> None:
    assert on(suppressions, "a.py", line, trusted=False) == []
