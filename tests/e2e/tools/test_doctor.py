"""`doctor`: one screen, and an exit code for scripts."""

import json
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from reviewgate_gh import __version__
from reviewgate_gh.system import plugins

from ...agents import Fake
from ...support import ROOT, Ran, Repo

CONFIG = ".reviewgate-gh.yaml"


def checks(ran: Ran) -> dict[str, dict[str, str]]:
    """The lines by name."""
    return {check["name"]: check for check in json.loads(ran.stdout)["checks"]}


@pytest.mark.contract
def test_a_repository_without_anything_can_be_reviewed(repo: Repo) -> None:
    done = repo.cli("doctor", "--output", "json")
    assert done.code == 0, done.output
    found = checks(done)
    assert found["reviewgate-gh"]["detail"] == __version__
    assert found["config"]["detail"] == "none: the defaults apply"
    assert found["linter ruff"]["state"] == found["reviewer builtin"]["state"] == "ok"
    assert found["repository"]["state"] == found["hook"]["state"] == "warning"
    assert found["network"]["detail"] == "nothing is sent: nothing in this config uses the network"


@pytest.mark.contract(plain=False)
def test_the_screen_for_people(repo: Repo) -> None:
    done = repo.cli("doctor")
    assert done.code == 0, done.output
    assert done.stdout.splitlines()[0].split() == ["part", "state", "detail"]
    assert len(done.stdout.splitlines()) < 30


def test_it_sees_the_hook_and_the_remote(repo: Repo) -> None:
    repo.bare_remote(repo.path.parent / "remote.git")
    repo.cli("hook", "install")
    found = checks(repo.cli("doctor", "-o", "json"))
    assert (found["hook"]["state"], found["repository"]["state"]) == ("ok", "ok")
    assert "pre-push" in found["hook"]["detail"]


@pytest.mark.contract(plain=False)
def test_a_broken_config_is_shown_and_exits_78(repo: Repo) -> None:
    repo.write({CONFIG: "version: 1\nmode: loud\n"})
    done = repo.cli("doctor", "-o", "json")
    assert done.code == 78, done.output
    assert checks(done)["config"]["state"] == "broken"
    assert f"{CONFIG}:2: mode" in checks(done)["config"]["detail"]


_OFF = "builtin: off, change: off, callers: off"


@pytest.mark.contract(plain=False)
def test_no_reviewer_at_all_exits_4(repo: Repo) -> None:
    off = "".join(f"  {name}: {{enabled: false}}\n" for name in plugins.names("linters"))
    repo.write({CONFIG: f"reviewers: {{{_OFF}, linters: {{type: linters}}}}\nlinters:\n{off}"})
    done = repo.cli("doctor", "-o", "json")
    assert done.code == 4, done.output
    assert checks(done)["reviewer linters"] == {
        "name": "reviewer linters",
        "state": "missing",
        "detail": "none of its linters is installed",
    }


def test_what_is_asked_for_and_missing_says_how_to_install_it(repo: Repo, tmp_path: Path) -> None:
    repo.write({CONFIG: "linters: {hadolint: {enabled: true}}\n"})
    found = checks(repo.cli("doctor", "-o", "json", env={"PATH": "/usr/bin:/bin"}))
    assert found["linter hadolint"]["state"] == "missing"
    assert found["linter hadolint"]["detail"]
    assert "linter golangci_lint" not in found


def test_a_reviewer_that_may_talk_is_named(repo: Repo) -> None:
    repo.write(
        {
            CONFIG: "reviewers: {linters: off, change: off, callers: off, builtin: off, "
            "mine: {type: command, options: {argv: [make]}}}\n"
        }
    )
    found = checks(repo.cli("doctor", "-o", "json"))
    assert found["network"]["state"] == "warning"
    assert "mine" in found["network"]["detail"]


def test_a_reviewer_that_is_not_approved_says_so(repo: Repo) -> None:
    config = (
        "reviewers: {builtin: off, linters: {type: linters}, mine: {type: command, options: {argv: "
        "[./lint.sh]}}}\n"
    )
    repo.write({CONFIG: config, "lint.sh": "#!/bin/sh\n"})

    def line() -> dict[str, str]:
        done = repo.cli("doctor", "-o", "json")
        found = checks(done)
        assert done.code == 0 and found["reviewer linters"]["state"] == "ok", done.output
        return found["reviewer mine"]

    assert line()["state"] == "warning"
    assert f"{CONFIG} is not approved on this machine" in line()["detail"] and line()[
        "detail"
    ].endswith("approve it: reviewgate-gh trust")
    repo.trust()
    assert line() == {"name": "reviewer mine", "state": "ok", "detail": "command"}
    repo.write({"lint.sh": "#!/bin/sh\ntrue\n"})
    assert line()["state"] == "warning"
    assert (
        "lint.sh, whose current content is not approved" in line()["detail"]
        and "reviewgate-gh trust" in line()["detail"]
    )


def test_programs_of_another_repository_in_the_work_tree_are_not_run(repo: Repo) -> None:
    canary, script = repo.path.parent / "canary", "#!/bin/sh\ntouch '{}'\necho 1.2.3\n"
    repo.commit({"venv-of.txt": "x\n"})
    repo.git("worktree", "add", "-q", "venv", "-b", "x")
    repo.write({"a.py": "x = 1\n"})
    repo.git("add", "a.py")
    repo.git("commit", "-q", "-m", "mine")
    repo.git("init", "-q", ".venv/inner")
    repo.write(
        {
            f"{folder}/bin/{name}": script.format(canary)
            for folder in ("venv", ".venv/inner")
            for name in ("ruff", "zizmor")
        }
    )
    for program in repo.path.glob("**/bin/*"):
        program.chmod(0o755)
    repo.file(".venv/bin").symlink_to("inner/bin")
    assert repo.cli("doctor").code == repo.cli("review", "--commit", "HEAD").code == 0
    assert not canary.exists()


def test_a_shallow_clone_and_an_unborn_branch_are_told_about(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"x": "1"})
    shallow = repo.clone(tmp_path / "shallow", "--depth=1")
    assert "shallow" in checks(shallow.cli("doctor", "-o", "json"))["repository"]["detail"]
    unborn = Repo.init(tmp_path / "unborn")
    assert "no commit yet" in checks(unborn.cli("doctor", "-o", "json"))["repository"]["detail"]


def test_a_linter_that_hangs_or_babbles_is_no_crash(repo: Repo, tmp_path: Path) -> None:
    fake = tmp_path / "bin/hadolint"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho '\x1b[2Jnothing'\n")
    fake.chmod(0o755)
    done = repo.cli("doctor", "-o", "json", env={"PATH": f"{fake.parent}:{os.environ['PATH']}"})
    found = checks(done)["linter hadolint"]
    assert (found["state"], found["detail"]) == ("warning", f"{fake}: --version printed no version")
    assert done.code == 0, "no project asks for it here"
    repo.commit({CONFIG: "version: 1\nlinters: {hadolint: {enabled: true}}\n"})
    done = repo.cli("doctor", "-o", "json", env={"PATH": f"{fake.parent}:{os.environ['PATH']}"})
    assert checks(done)["linter hadolint"]["state"] == "broken"


def test_the_tracker_has_a_line_of_its_own(repo: Repo) -> None:
    told = {}
    for kind in ("local", "none", "github", "beads"):
        repo.write({CONFIG: f"version: 1\ntracker: {{type: {kind}}}\n"})
        done = repo.cli("doctor", "-o", "json", env={"GITHUB_REPOSITORY": "octo/repo"})
        assert done.code == 0, done.output
        told[kind] = checks(done)["tracker"]
    assert (told["local"]["state"], told["local"]["detail"]) == ("ok", "local")
    assert (told["none"]["state"], told["none"]["detail"]) == (
        "ok",
        "none: findings are not turned into issues",
    )
    assert told["github"]["state"] == "warning" and "set GITHUB_TOKEN" in told["github"]["detail"]
    assert told["beads"]["state"] == "warning" and "bd" in told["beads"]["detail"]


def test_findings_that_wait_for_the_tracker_are_counted(repo: Repo) -> None:
    repo.commit({CONFIG: "version: 1\ntracker: {type: beads}\n"})
    repo.commit({"a.py": "def f(x):\n    return evil(x)\n"})
    repo.cli("review", "--commit", "HEAD")
    assert "saved for the next run" in repo.cli("findings", "sync", "--trusted").output
    repo.write({CONFIG: "version: 1\ntracker: {type: local}\n"})
    found = checks(repo.cli("doctor", "-o", "json"))["tracker"]
    assert (
        found["state"] == "warning"
        and "1 finding waiting: reviewgate-gh findings sync" in found["detail"]
    ), found


MODELS = """\
reviewers:
  builtin: {type: builtin}
  claude: {type: claude, options: {key: MY_KEY, model: claude-x}}
  codex: {type: codex, options: {model: gpt-x}}
  gemini: {type: gemini, options: {url: "https://gateway.example/g"}}
  api: {type: api, options: {dialect: openai, model: m-1, key: OTHER_KEY, url: "https://models.example/v1"}}
"""


def fakes(folder: Path) -> dict[str, str]:
    """Agents on PATH, a home with one login, and one key."""
    for name in ("claude", "codex"):
        Fake.make(name, folder)
    login = folder / "home/.codex/auth.json"
    login.parent.mkdir(parents=True)
    login.write_text("{}")
    return {
        "PATH": f"{folder}/bin:/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "MY_KEY": "a-secret-key-0123",
    }


def test_every_model_says_where_it_stands_who_pays_what_runs_and_what_leaves(
    repo: Repo, tmp_path: Path
) -> None:
    repo.write({CONFIG: MODELS})
    repo.trust()
    done = repo.cli("doctor", "-o", "json", env=fakes(tmp_path))
    assert done.code == 0, done.output
    found = checks(done)
    claude, codex = found["reviewer claude"], found["reviewer codex"]
    assert claude["state"] == codex["state"] == "ok"
    assert claude["detail"].startswith(
        f"claude 9.8.7; pays: MY_KEY; runs: {tmp_path}/bin/claude --print --output-format json "
        "--tools ''"
    )
    assert codex["detail"].startswith(
        f"codex 9.8.7; pays: the login in {tmp_path}/home/.codex; runs: {tmp_path}/bin/codex exec "
    )
    for name, why in (("gemini", "no gemini here; install"), ("api", "OTHER_KEY is not set")):
        assert (
            found[f"reviewer {name}"]["state"] == "missing"
            and why in found[f"reviewer {name}"]["detail"]
        )
    leaves = (
        "claude sends the change to https://api.anthropic.com; codex sends the change to "
        "https://chatgpt.com, "
    )
    leaves += "or https://api.openai.com for a login with a key"
    would = "would send the change to {}{} if it could be asked"
    leaves += f"; gemini {would.format('https://gateway.example/g', '')}"
    leaves += f"; api {would.format('https://models.example/v1', ' (model m-1)')}"
    assert found["network"] == {
        "name": "network",
        "state": "ok",
        "detail": f"{leaves}; nothing else is sent",
    }
    assert "a-secret-key" not in done.output


@pytest.mark.parametrize("sdk", ["there", "not there"])
def test_qwen_and_the_agent_sdk_have_lines_of_their_own(
    repo: Repo, tmp_path: Path, sdk: str
) -> None:
    mine = 'url: "https://models.example/v1", model: q-1, key: MY_KEY'
    repo.write(
        {
            CONFIG: (
                f"reviewers:\n  linters: off\n  change: off\n  callers: off\n  builtin: off\n"
                f"  q: {{type: qwen, options: {{{mine}}}}}\n"
                f"  s: {{type: agent_sdk, options: {{key: MY_KEY, model: c-1}}}}\n"
            )
        }
    )
    repo.trust()
    Fake.make("qwen", tmp_path)
    package = tmp_path / "packages/claude_agent_sdk"
    package.mkdir(parents=True)
    if sdk == "there":
        (package / "__init__.py").write_text('__version__ = "0.2.7"\n')
    elif find_spec("claude_agent_sdk"):
        pytest.skip("this machine has the SDK")
    else:
        package.rmdir()
    env = {
        **fakes(tmp_path / "others"),
        "PATH": f"{tmp_path}/bin:/usr/bin:/bin",
        "PYTHONPATH": f"{ROOT}:{package.parent}",
    }
    done = repo.cli("doctor", "-o", "json", env=env)
    assert done.code == 0, done.output
    found = checks(done)
    qwen, agent = found["reviewer q"], found["reviewer s"]
    assert qwen["state"] == "ok" and qwen["detail"].startswith(
        f"qwen 9.8.7; pays: MY_KEY; runs: {tmp_path}/bin/qwen --bare --output-format json"
    )
    leaves = "q sends the change to https://models.example/v1"
    if sdk == "there":
        assert agent["state"] == "ok" and agent["detail"].startswith(
            "agent_sdk 0.2.7; pays: MY_KEY; runs: "
        )
        leaves += "; s sends the change to https://api.anthropic.com"
    else:
        assert (
            agent["state"] == "missing"
            and "no claude-agent-sdk here; pip install 'reviewgate-gh[agent-sdk]'"
            in agent["detail"]
        )
        leaves += "; s would send the change to https://api.anthropic.com if it could be asked"
    assert (
        found["network"]["detail"] == f"{leaves}; nothing else is sent"
        and "a-secret-key" not in done.output
    )


def test_where_no_model_can_be_asked_nothing_leaves(repo: Repo, tmp_path: Path) -> None:
    repo.write(
        {
            CONFIG: "reviewers: {linters: off, change: off, callers: off, "
            "builtin: off, claude: {type: claude}}\n"
        }
    )
    done = repo.cli("doctor", "-o", "json", env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)})
    assert done.code == 4, done.output
    assert checks(done)["network"]["detail"] == (
        "claude would send the change to https://api.anthropic.com if it could be asked; nothing "
        "else is sent"
    )


def test_a_model_beside_a_program_of_ones_own_leaves_that_one_unknown(
    repo: Repo, tmp_path: Path
) -> None:
    mine = "  mine: {type: command, options: {argv: [make]}}\n"
    repo.write(
        {
            CONFIG: f"reviewers:\n  linters: off\n  change: off\n  callers: off\n  builtin: off\n"
            f"  claude: {{type: claude, options: {{key: MY_KEY}}}}\n{mine}"
        }
    )
    leaves = checks(repo.cli("doctor", "-o", "json", env=fakes(tmp_path)))["network"]
    assert leaves["state"] == "warning"
    assert (
        "claude sends the change to https://api.anthropic.com; unknown: mine may use the network"
        in leaves["detail"]
    )
    model = checks(repo.cli("doctor", "-o", "json", env=fakes(tmp_path / "2")))["reviewer claude"]
    assert "no model is configured: the program uses its own default" in model["detail"]


def test_options_of_a_model_that_are_wrong_are_the_configs_line(repo: Repo, tmp_path: Path) -> None:
    repo.write(
        {
            CONFIG: "reviewers: {linters: off, change: off, callers: off, builtin: off, "
            "claude: {type: claude, options: {key: sk-ant-123}}}\n"
        }
    )
    done = repo.cli("doctor", "-o", "json", env=fakes(tmp_path))
    assert (
        done.code == 78 and "key must be the name of a variable" in checks(done)["config"]["detail"]
    )
