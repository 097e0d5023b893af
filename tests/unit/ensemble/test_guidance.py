"""The project's own rules, on their way to models."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.ensemble.project_rules import (
    INSTRUCTIONS_FOLDER,
    RuleSources,
    collect_guidance,
    collect_rules,
)


def test_rules_that_are_cut_hold_no_half_of_a_key():
    """Where it is cut, what is left of a line looks like no secret any more."""
    lines = [f"{at:02}{'Ab3/' * 15}Zq" for at in range(40)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])
    for length in range(23_700, 23_764, 7):
        text, [notice] = collect_guidance(
            {"CLAUDE.md": ("word " * 5000)[:length].encode() + b"\n" + key.encode()}
        )
        assert "Ab3/" not in text and "[REDACTED:private-key]" in text
        assert notice == "CLAUDE.md: models read only its first 24,000 characters"


def test_rules_in_a_denied_place_are_named_and_not_told():
    """What the policy keeps from models is kept in whatever part of a question."""
    files = {"CLAUDE.md": b"The price of acme is 42.", ".reviewgate-gh/rules.md": b"No floats."}
    text, notices = collect_guidance(files, ("CLAUDE.md", "AGENTS.md"))
    assert text == "From .reviewgate-gh/rules.md:\nNo floats."
    assert notices == ("CLAUDE.md: not sent to a model (policy.denied_paths)",)


def rules(files, *paths, denied=()):
    """The names of the rules that are told, in order, and the notices."""
    data = {path: text.encode() for path, text in files.items()}

    def read(names):
        return {name: data[name] for name in names if name in data}

    instructions = [path for path in data if path.startswith(INSTRUCTIONS_FOLDER)]
    text, notices = collect_rules(RuleSources(read, instructions, paths), denied)
    return [line[5:-1] for line in text.splitlines() if line.startswith("From ")], notices


def test_each_file_has_the_rules_of_its_folders_the_nearest_last():
    files = {
        "AGENTS.md": "a",
        "CLAUDE.md": "c",
        "GEMINI.md": "g",
        ".github/copilot-instructions.md": "i",
        ".reviewgate-gh/rules.md": "r",
        "src/api/CLAUDE.md": "sac",
        "src/AGENTS.md": "sa",
        "docs/AGENTS.md": "d",
    }
    assert rules(files, "src/api/a.py", "src/b.py") == (
        [
            ".reviewgate-gh/rules.md",
            ".github/copilot-instructions.md",
            "AGENTS.md",
            "CLAUDE.md",
            "GEMINI.md",
            "src/AGENTS.md (for files below src/)",
            "src/api/CLAUDE.md (for files below src/api/)",
        ],
        (),
    )
    assert rules({"AGENTS.md": "same", "CLAUDE.md": "same"}, "a.py") == (["AGENTS.md"], ())


@pytest.mark.parametrize(
    ("head", "paths", "told"),
    [
        ('applyTo: "**/*.ts,**/*.tsx"', ["a/b.tsx"], True),
        ("applyTo: '**/*.ts'", ["a/b.py"], False),
        ("applyTo: src/**/*.py", ["src/a/b.py"], True),
        ("applyTo: 'src/*.py'", ["lib/src/b.py"], False),
        ("applyTo: '**'", ["a"], True),
        ("applyTo: '**'\nexcludeAgent: code-review", ["a"], False),
        ("applyTo: '**'\nexcludeAgent: cloud-agent", ["a"], True),
        ("description: all", ["a"], False),
        ("applyTo: [", ["a"], False),
        ("applyTo: '[z-a'", ["a"], False),
    ],
)
def test_instructions_apply_to_what_they_name(head, paths, told):
    path = ".github/instructions/sub/x.instructions.md"
    found, _ = rules({path: f"---\n{head}\n---\nBe brief.\n"}, *paths)
    assert [name.split(" ")[0] for name in found] == [path] * told


def test_imports_are_read_from_the_same_side_and_stay_within_it():
    files = {
        "CLAUDE.md": (
            "@AGENTS.md, and @docs/style.md. Ask a@b.c or @nobody. `@no.md`\n```\n@no.md\n```"
        ),
        "AGENTS.md": "agents",
        "docs/style.md": "See @more.md and @../../etc/passwd @/etc/passwd @~/x @../CLAUDE.md",
        "docs/more.md": "more",
        "no.md": "no",
        "secret.md": "secret",
    }
    assert rules(files, "a.py") == (
        [
            "AGENTS.md",
            "docs/style.md (imported by CLAUDE.md)",
            "docs/more.md (imported by CLAUDE.md)",
            "CLAUDE.md",
        ],
        (),
    )
    files["CLAUDE.md"] = "@secret.md"
    assert rules(files, "a.py", denied=["secret.md"]) == (
        ["AGENTS.md", "CLAUDE.md"],
        ("secret.md: not sent to a model (policy.denied_paths)",),
    )


def test_rules_without_end_are_bounded():
    chain = {f"r{at}.md": f"{at} @r{at + 1}.md @r{at + 50}.md" for at in range(99)}
    assert len(rules({"CLAUDE.md": "@r0.md", **chain})[0]) < 25
    wide = {f"d{at}/AGENTS.md": f"{at:05} " * 3500 for at in range(9)}
    told, notices = rules(wide, *(f"d{at}/a.py" for at in range(9)))
    assert len(told) == 4 and len(notices) == 5


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_read(one, two):
    files = {"CLAUDE.md": one, ".github/instructions/a.instructions.md": f"---\n{two}"}
    assert len(rules(files, "a.py")[0]) <= 2 + (one + two).count("\nFrom ")
