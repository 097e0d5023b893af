"""`config check`, `show` and `schema`."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import jsonschema_rs
import pytest
import yaml
from msgspec import to_builtins

from reviewgate_gh.model.config import Config

from ...support import Ran, Repo

CONFIG, WAIVERS = ".reviewgate-gh.yaml", ".reviewgate-gh-waivers.yaml"


@pytest.mark.contract(plain=False)
def test_check_without_files(repo: Repo) -> None:
    done = repo.cli("config", "check")
    assert done.code == 0, done.output
    assert done.stdout == (
        f"{CONFIG}: not found, the defaults apply\n{WAIVERS}: not found, no findings are waived\n"
    )


@pytest.mark.contract
def test_check_says_what_both_files_hold(repo: Repo) -> None:
    waivers = (
        "waivers:\n- {fingerprint: a, reason: x, expires: 2020-01-01}\n"
        "- {fingerprint: b, reason: y}\n"
    )
    repo.write(
        {CONFIG: "mode: warn\nlinters: {ruff: {timeout: 5}}\n", WAIVERS: waivers, "sub/x": ""}
    )
    done = repo.cli("config", "check", "--repo", "sub")
    assert done.code == 0, done.output
    assert done.stdout.splitlines() == [
        f"{CONFIG}: ok: mode warn, threshold P1, reviewers: linters, builtin, change, callers; "
        "1 linter configured",
        f"{WAIVERS}: ok: 2 waivers, 1 expired",
    ]


@pytest.mark.req("R000-030", "R000-045")
def test_check_warns_of_triggers_that_say_what_does_not_apply(repo: Repo) -> None:
    block = "{enabled: true, baseline: since_run_start}"
    repo.write(
        {
            CONFIG: f"validation_triggers: {{session_end: {{code_review: {block}}}}}\n",
            "old.yaml": "reviewer_type: cerberus\n",
        }
    )
    assert repo.cli("config", "check").stdout.splitlines()[1] == (
        f"{CONFIG}: warning: validation_triggers.session_end.code_review.baseline is ignored:"
        " a session's review starts at its issue's first commit"
    )
    assert (
        repo.cli("config", "check", "old.yaml")
        .stdout.splitlines()[1]
        .startswith("DEPRECATION: Top-level 'reviewer_type' is")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 1\nmode: loud\n", f"{CONFIG}:2: mode: must be"),
        ("a: [\n", f"{CONFIG}:2: not valid YAML"),
        ("policy:\n  finding_treshold: P1\n", f"{CONFIG}:2: unknown key policy.finding_treshold"),
        ("mode: warn\nmode: block\n", f"{CONFIG}:2: duplicate key mode"),
        ("required_version: '>=99'\n", f"{CONFIG}:1: this is reviewgate-gh"),
        (
            "mode: warn\nrequired_version: new\n",
            f"{CONFIG}:2: required_version: not a version range",
        ),
        ("linters:\n  ruff: {}\n  flake9: {}\n", f"{CONFIG}:3: linters.flake9: unknown linter"),
        (
            "reviewers:\n  me:\n    type: nobody\n",
            f"{CONFIG}:3: reviewers.me.type: unknown plug-in 'nobody'",
        ),
        (
            "reviewers:\n  b: {type: builtin, options: {disabel: [x]}}\n",
            f"{CONFIG}:2: reviewers.b.options: unknown key disabel",
        ),
        (
            "mode: warn\nreviewers:\n  c: {type: command}\n",
            f"{CONFIG}:3: reviewers.c.options: argv: this key is missing",
        ),
        (
            "hook:\n  reviewers: [builtin, me]\n",
            f"{CONFIG}:2: hook.reviewers: unknown reviewer 'me'",
        ),
        ("policy: {exclude: '*.x'}\n", f"{CONFIG}:1: policy.exclude: must be a list (it is"),
        (
            "policy:\n  exclude:\n  - '*.x'\n  - '!'\n",
            f"{CONFIG}:4: policy.exclude[1]: '!' is not a valid pattern",
        ),
        (
            "policy: {exclude: ['a/**', '[z-a]']}\n",
            f"{CONFIG}:1: policy.exclude[1]: '[z-a]' is not a valid pattern",
        ),
        (
            "policy:\n  denied_paths:\n  - own/\n  - 'own\\'\n",
            f"{CONFIG}:4: policy.denied_paths[1]: 'own\\\\' is not a valid pattern",
        ),
        ("mode: warn\npolicy: \x07\n", f"{CONFIG}:2: not valid YAML: unacceptable character"),
        ("mode: &a [*a]\n", f"{CONFIG}: nested too deeply, or contains itself"),
        ("mode: warn\nversion: !!bool x\n", f"{CONFIG}:2: not valid YAML: 'x' is not a valid bool"),
        (
            'mode: warn\nrequired_version: "\\ud800"\n',
            f"{CONFIG}:2: not valid YAML: '\\ud800' is an unpaired surrogate",
        ),
        ("mode: warn\non: 1\n", f"{CONFIG}:2: unknown key on"),
        ("mode: warn\n? [a, b]\n: c\n", f"{CONFIG}:2: a key that is not a word"),
        (
            "required_version: '>=" + "9" * 5000 + "'\n",
            f"{CONFIG}:1: required_version: not a version range",
        ),
        ("#" * 10_000_001, f"{CONFIG}: larger than 10 MB"),
        ("- mode\n", f"{CONFIG}:1: the file: must be a mapping"),
        (
            "mode: warn\nreviewers:\n  c: {type: codex, options: {key: a b}}\n",
            f"{CONFIG}:3: reviewers.c.options: key must be the name of",
        ),
        (
            "reviewers:\n  c:\n    type: command\n    options: {}\n",
            f"{CONFIG}:4: reviewers.c.options: argv: this key is missing",
        ),
    ],
)
def test_each_mistake_is_one_line_with_its_place(repo: Repo, text: str, said: str) -> None:
    repo.write({CONFIG: text})
    done = repo.cli("config", "check")
    assert done.code == 78, done.output
    assert done.stderr.startswith(f"reviewgate-gh: {said}")
    assert done.stdout == ""


def test_aliases_of_aliases_are_refused_and_not_followed(repo: Repo) -> None:
    rows = [
        "a0: &a0 [x, x, x, x, x, x, x, x, x]",
        *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 20)),
    ]
    repo.write({CONFIG: "\n".join(rows)})
    done = repo.cli("config", "check")
    assert done.code == 78, done.output
    assert "aliases" in done.stderr


@pytest.mark.contract(plain=False)
def test_a_review_points_at_the_same_line(repo: Repo) -> None:
    repo.commit({CONFIG: "mode: warn\nlinters: {flake9: {}}\n"})
    done = repo.cli("review", "--commit", "HEAD", "--trusted")
    assert done.code == 78, done.output
    assert f"{CONFIG}:2: linters.flake9" in done.stderr


@pytest.mark.parametrize("name", [CONFIG, WAIVERS])
@pytest.mark.parametrize("what", ["link", "folder", "submodule"])
def test_what_is_no_file_is_not_taken_for_none(repo: Repo, name: str, what: str) -> None:
    """Else the defaults would apply where the author thinks that the linked settings do."""
    repo.commit({"strict.yaml": "policy: {finding_threshold: P3}\n"})
    if what == "submodule":
        repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.head},{name}")
        repo.git("commit", "--quiet", "--message", "a submodule")
    else:
        repo.file(name).symlink_to("strict.yaml") if what == "link" else repo.write(
            {f"{name}/x": ""}
        )
        repo.commit()
    repo.git("commit", "--quiet", "--allow-empty", "--message", "later")
    for args in (
        ("review", "--range", "HEAD~1..HEAD", "--trusted"),
        *([] if what == "submodule" else [("config", "check")]),
    ):
        done = repo.cli(*args)
        assert (done.code, name in done.stderr) == (
            78 if what == "link" or args[0] == "review" else 64,
            True,
        ), done.output
    done = repo.cli("review", "--range", "HEAD~2..HEAD", env={"CI": "true"})
    assert done.code in (0, 1), done.output
    assert (
        what == "folder"
        or f"the change to {name} is ignored: it is not valid (it is not a regular file)"
        in done.stdout
    ), done.output


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(repo: Repo) -> None:
    os.mkfifo(repo.file(CONFIG))
    os.mkfifo(repo.file(WAIVERS))
    for args in (("config", "check"), ("config", "show"), ("waive", "list")):
        done = repo.cli(*args)
        assert (done.code, "is not a regular file" in done.stderr) == (78, True), done.output


@pytest.mark.contract(plain=False)
def test_check_of_a_broken_waivers_file(repo: Repo) -> None:
    repo.write({WAIVERS: "waivers:\n- fingerprint: a\n  reason: ' '\n"})
    done = repo.cli("config", "check")
    assert done.code == 78, done.output
    assert f"{WAIVERS}:3: waivers[0]: reason must say why" in done.stderr


def test_check_of_one_file_needs_no_repository(tmp_path: Path, cli: Callable[..., Ran]) -> None:
    (tmp_path / "mine.yaml").write_text("mode: warn\n")
    (tmp_path / "accepted.yaml").write_text("waivers: []\n")
    assert cli("config", "check", "mine.yaml").stdout.startswith("mine.yaml: ok: mode warn")
    assert (
        cli("config", "check", "accepted.yaml").stdout
        == "accepted.yaml: ok: 0 waivers, 0 expired\n"
    )
    missing = cli("config", "check", "none.yaml")
    assert (missing.code, "there is no file none.yaml" in missing.stderr) == (64, True), (
        missing.output
    )


def origins(shown: str) -> dict[str, str]:
    """Key (its last part) to origin."""
    rows = (line.partition("  # ") for line in shown.splitlines()[1:])
    return {key.partition(":")[0].strip(): origin for key, _, origin in rows if origin}


@pytest.mark.contract
def test_show_names_the_origin_of_each_value_and_is_yaml(repo: Repo) -> None:
    repo.write(
        {CONFIG: "mode: warn\npolicy:\n  # here\n  max_file_bytes: 10\nhook:\n  reviewers: null\n"}
    )
    done = repo.cli("config", "show")
    assert done.code == 0, done.output
    plain = json.loads(json.dumps(to_builtins(Config())))
    wanted = {**plain, "mode": "warn", "policy": {**plain["policy"], "max_file_bytes": 10}}
    assert yaml.safe_load(done.stdout) == wanted
    found = origins(done.stdout)
    assert (found["mode"], found["max_file_bytes"], found["reviewers"]) == (
        f"{CONFIG}:1",
        f"{CONFIG}:4",
        f"{CONFIG}:6",
    )
    assert found["finding_threshold"] == found["exclude"] == found["max_parallel"] == "default"


@pytest.mark.parametrize("way", ["option", "environment"])
def test_show_tells_what_the_floor_raised(repo: Repo, way: str) -> None:
    repo.write(
        {
            CONFIG: "mode: warn\npolicy: {finding_threshold: P3}\n",
            "org.yaml": "policy:\n  finding_threshold: P2\nmode: block\n",
        }
    )
    given = (
        {"args": ["--policy", "org.yaml"]}
        if way == "option"
        else {"env": {"REVIEWGATE_GH_POLICY": "org.yaml"}}
    )
    done = repo.cli("config", "show", *given.get("args", []), env=given.get("env"))
    assert done.code == 0, done.output
    found = origins(done.stdout)
    assert found["mode"] == "policy floor org.yaml:3"
    assert found["finding_threshold"] == f"{CONFIG}:2", (
        "a stricter value stays the repository's own"
    )
    assert yaml.safe_load(done.stdout)["mode"] == "block"


@pytest.mark.contract(plain=False)
def test_schema_fits_what_show_prints(repo: Repo) -> None:
    schema = repo.cli("config", "schema")
    assert schema.code == 0, schema.output
    jsonschema_rs.Draft202012Validator(json.loads(schema.stdout)).validate(
        yaml.safe_load(repo.cli("config", "show").stdout)
    )
