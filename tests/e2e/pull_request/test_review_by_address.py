"""`review --pr URL`: a pull request of any repository through the API; the ordinary pipeline over
what GitHub shows, and no clone."""

import json

import pytest

from tests.peers.model_server import serving
from tests.support import Repo, cli

from ..panels import CODE, LENSES, MISSED, NINE, claim, declared, kind, panel

EVIL = "def f(x):\n    return evil(x)\n"
URL = "https://github.com/octo/repo/pull/1"


class Far:
    """A pull request in a repository that is only at GitHub; `run` starts in a folder that is not a
    repository."""

    def __init__(self, github, repo: Repo, folder, **options) -> None:
        self.github, self.repo, self.options = github, repo, options
        self.folder = folder
        self.pull = None

    def open(self, files, base=None, **options):
        """Open pull request 1 with these changes onto these files; the base branch moves on
        afterwards."""
        if base:
            self.repo.commit(base)
        self.repo.branch("topic")
        self.repo.commit(files)
        self.repo.switch("main")
        self.repo.commit({"later.txt": "the base has moved on\n"})
        self.stored = self.github.repository(self.repo.path, **self.options)
        self.pull = self.stored.pull("topic", **options)

    def run(self, *args: str, token=None, env=None):
        """The report as JSON, and how the command ended."""
        known = {"GITHUB_TOKEN": self.github.token() if token is None else token, **(env or {})}
        given = ("review", "--pr", URL, "--api-url", self.github.url, "--output", "json", *args)
        done = cli(
            *given, cwd=self.folder, env={name: value for name, value in known.items() if value}
        )
        return done, json.loads(done.stdout) if done.stdout else {}

    def local(self):
        """What the same range gives in a clone, in CI, where nothing is trusted."""
        base = self.repo.git("merge-base", "main", "topic")
        done = self.repo.cli(
            "review", "--range", f"{base}..topic", "--output", "json", env={"CI": "true"}
        )
        return done, json.loads(done.stdout)


@pytest.fixture
def far(github, repo, tmp_path) -> Far:
    (tmp_path / "elsewhere").mkdir()
    return Far(github, repo, tmp_path / "elsewhere")


def findings(report) -> list[tuple[str, ...]]:
    return sorted(
        (
            each["path"],
            str(each["line_start"]),
            each["rule"],
            each["state"],
            each["anchor"],
            each["priority"],
        )
        for each in report["findings"]
    )


BASE = {
    "old.py": "import os\n\n\ndef g(x):\n    return x\n" * 9,
    "gone.py": "x = 1\n",
    "moved/a.py": "".join(f"line_{n} = {n}\n" for n in range(40)),
    "crlf.py": "a = 1\r\nb = 2\r\n",
    "bare.sh": "#!/bin/sh\necho $1",
    "app/ruff.toml": "line-length = 20\nlint.select = ['E501']\n",
    "app/a.py": "x = 1\n",
    "pic.png": b"\x89PNG\0\0\1",
}
HEAD = {
    "old.py": "import os\n\n\ndef g(x):\n    return evil(x)\n"
    + "import os\n\n\ndef g(x):\n    return x\n" * 8,
    "gone.py": None,
    "moved/a.py": None,
    "moved/b.py": "".join(f"line_{n} = {n}\n" for n in range(39)) + "line_39 = undefined_name\n",
    "new dir/ü '\"quote.py": EVIL,
    "crlf.py": "a = 1\r\nb = evil('2')\r\n",
    "bare.sh": "#!/bin/sh\necho $1\necho $2",
    "app/a.py": "x = 'a line that is longer than twenty'\n",
    "pic.png": b"\x89PNG\0\0\2",
    "key.txt": "AKIA" + "Q3EGRIVKZ7BNXYPL\n",
    "empty.txt": "",
}


@pytest.mark.contract(plain=False)
@pytest.mark.req("R003-074", "R003-076")
def test_it_says_what_a_clone_says(far):
    far.open(HEAD, BASE)
    (done, report), (near, expected) = far.run(), far.local()
    assert done.code == near.code == 1, done.output
    assert (
        findings(report) == findings(expected)
        and report["verdict"]["not_reviewed"] == expected["verdict"]["not_reviewed"]
    )
    assert {(f["path"], f["status"], f["old_path"]) for f in report["change"]["files"]} == {
        (f["path"], f["status"], f["old_path"]) for f in expected["change"]["files"]
    }
    same = ("base", "head", "rules", "trusted")
    assert {name: report["change"][name] for name in same} == {
        name: expected["change"][name] for name in same
    }
    assert report["change"]["repository"] == "https://github.com/octo/repo"
    assert ("app/a.py", "1", "ruff/E501") in {row[:3] for row in findings(report)}
    assert far.github.journal.created == []


@pytest.mark.req("R003-015", "R003-018", "R003-074")
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_models_are_asked_ten_to_twelve_times_and_never_to_build_and_test(far, rounds):
    later = iter(MISSED[: rounds - 1])
    found = {"Correctness": lambda: [claim()], "audit": lambda: [*next(later, ())]}
    with serving(panel(lambda what: found.get(what, list)())) as server:
        policy = declared({"one": server}, f"ensemble: {NINE}")
        far.open({"a.py": CODE}, {"Makefile": "test:\n\t@true\n"})
        (far.repo.path.parent / "policy.yaml").write_text(policy)
        done, report = far.run("--policy", str(far.repo.path.parent / "policy.yaml"))
        asked = [*map(kind, server.requests)]
    assert done.code == 1 and any(
        each["title"] == claim()["title"] for each in report["findings"]
    ), done.output
    assert set(asked[:8]) == LENSES and asked[8:] == ["verify", *["audit"] * rounds]


def test_links_submodules_and_modes_are_what_they_are(far):
    far.repo.commit({"run.sh": "#!/bin/sh\necho\n", "a.json": "{}\n", "was.json": "{}\n"})
    far.repo.branch("topic")
    for name, target in (("link.json", "a.json"), ("out.json", "../../etc/passwd")):
        far.repo.file(name).symlink_to(target)
    far.repo.write({"was.json": None})
    far.repo.file("was.json").symlink_to("a.json")
    far.repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    far.repo.git("add", "--all", ":!sub")
    far.repo.git("update-index", "--chmod=+x", "run.sh")
    far.repo.git("commit", "--quiet", "--message", "links")
    far.pull = far.github.repository(far.repo.path).pull("topic")
    (done, report), (_near, expected) = far.run(), far.local()
    assert findings(report) == findings(expected) and done.code == 1, done.output
    assert {f["path"] for f in report["change"]["files"]} == {
        "link.json",
        "out.json",
        "run.sh",
        "sub",
        "was.json",
    }
    assert report["verdict"]["not_reviewed"] == expected["verdict"]["not_reviewed"] == []


@pytest.mark.req("R003-067", "R003-068")
@pytest.mark.parametrize("side", ["base", "head", "none"])
def test_configuration_and_waivers_are_the_base_s(far, side):
    settings = {".reviewgate-gh.yaml": "version: 1\npolicy: {finding_threshold: none}\n"}
    far.open(
        {"a.py": EVIL, **(settings if side == "head" else {})}, settings if side == "base" else None
    )
    done, report = far.run()
    assert done.code == (0 if side == "base" else 1), done.output
    assert report["config_source"] == (
        ".reviewgate-gh.yaml of the base" if side == "base" else "defaults"
    )
    assert any("applies after the merge" in each for each in report["notices"]) == (side == "head")


def test_what_cannot_be_read_is_not_reviewed_and_is_listed(far):
    far.open(
        {
            "fine.py": "x = 1\n",
            "lost.py": EVIL,
            "wrong.py": "y = 2\n",
            "large.txt": "0123456789abcdef\n" * 320_000,
        }
    )
    for name, mode in (("lost.py", "404"), ("wrong.py", "other-json")):
        far.github.fault(mode, "GET", f"*/git/blobs/{far.repo.rev(f'topic:{name}')}")
    done, report = far.run()
    assert done.code == 2 and report["verdict"]["outcome"] == "inconclusive", done.output
    assert report["verdict"]["not_reviewed"] == ["large.txt", "lost.py", "wrong.py"]
    assert [each["path"] for each in report["change"]["files"]] == ["fine.py"]


def test_when_nothing_can_be_read_nothing_passes(far):
    far.open({"a.py": EVIL})
    far.github.fault("404", "GET", "*/git/blobs/*", times=99)
    done, report = far.run()
    assert done.code == 2 and report["verdict"]["not_reviewed"] == ["a.py"], done.output


def test_a_limit_that_github_sets_in_the_middle_leaves_the_rest_unread(far):
    far.open({"a.py": "x = 1\n", "b.py": "y = 1\n", "c.py": "z = 1\n"})
    far.github.fault("403-primary", "GET", "*/git/blobs/*", nth=2, times=99, seconds=3600)
    done, report = far.run()
    assert done.code == 2 and report["verdict"]["not_reviewed"] == ["b.py", "c.py"], done.output
    assert (
        any("rate-limits" in each for each in report["notices"])
        and far.github.journal.count("GET", "*/git/blobs/*") == 2
    )


def test_without_a_token_a_public_one_is_read_and_not_much_of_it(far):
    far.options["private"] = False
    far.open({f"f{n:02}.py": f"x = {n}\n" for n in range(43)})
    done, report = far.run(token="")
    assert done.code == 2 and report["verdict"]["not_reviewed"] == ["f40.py", "f41.py", "f42.py"], (
        done.output
    )
    assert far.github.journal.count() < 60 and any(
        "too many files" in each for each in report["notices"]
    )


def test_the_base_costs_no_requests_where_the_patch_leads_to_it(far):
    names = [f"f{n}.py" for n in range(5)]
    far.open(
        {name: f"{name[1]} + 2\n" for name in names}, {name: f"{name[1]} + 1\n" for name in names}
    )
    done, _report = far.run()
    assert done.code == 0 and far.github.journal.count("GET", "*/git/blobs/*") == len(names), (
        done.output
    )


def test_a_patch_that_github_leaves_out_is_no_gap(far):
    lines = "".join(f"a{n} = {n}\n" for n in range(21_000))
    far.open({"big.py": lines.replace("\n", " \n"), "later.py": EVIL}, {"big.py": lines})
    (done, report), (_near, expected) = far.run(), far.local()
    assert (
        findings(report) == findings(expected)
        and done.code == 1
        and report["verdict"]["not_reviewed"] == []
    ), done.output


def test_settings_of_the_base_that_cannot_be_read_stop_it(far):
    far.open(
        {"a.py": EVIL}, {".reviewgate-gh.yaml": "version: 1\npolicy: {finding_threshold: P3}\n"}
    )
    far.github.fault("404", "GET", f"*/git/blobs/{far.repo.rev('main:.reviewgate-gh.yaml')}")
    done, _report = far.run()
    assert done.code == 69 and "cannot read .reviewgate-gh.yaml" in done.stderr, done.output


def test_a_list_that_github_cuts_is_said(far, monkeypatch):
    from tests.peers.github import rest_code

    monkeypatch.setattr(rest_code, "MOST_IN_TREE", 2)
    far.open({"0.txt": "y\n", "z.py": EVIL}, {"0.txt": "x\n", "1.txt": "x\n"})
    done, report = far.run()
    assert done.code == 2 and report["verdict"]["not_reviewed"] == ["z.py"], done.output
    assert any("does not list all files" in each for each in report["notices"])


def test_files_that_github_does_not_list_are_counted(far, monkeypatch):
    from tests.peers.github import rest_pulls

    monkeypatch.setattr(rest_pulls, "MOST_FILES", 2)
    far.open({"a.py": "x = 1\n", "b.py": "x = 1\n", "c.py": EVIL, "d.py": EVIL})
    done, report = far.run()
    assert done.code == 2 and report["verdict"]["not_reviewed"] == [
        "2 files that GitHub does not list"
    ], done.output


def test_a_head_that_moves_meanwhile_is_no_mixture(far):
    far.open({"a.py": EVIL})
    far.repo.switch("topic")
    far.repo.commit({"b.py": EVIL})
    far.github.faults.on("GET", "*/files", after=far.pull.push)
    done, _report = far.run()
    assert done.code == 69 and "changed while its files were being read" in done.stderr, done.output


def test_the_folder_it_is_run_in_is_left_as_it_is(far, make_repo):
    far.open({"a.py": EVIL})
    near = make_repo("near")
    near.commit({"x.txt": "x\n"})
    near.git("remote", "add", "origin", "https://github.com/other/project.git")
    far.folder = near.path
    before = sorted((path, path.stat().st_mtime_ns) for path in near.path.rglob("*"))
    done, report = far.run()
    assert done.code == 1 and report["change"]["head"] == far.repo.rev("topic"), done.output
    assert sorted((path, path.stat().st_mtime_ns) for path in near.path.rglob("*")) == before


@pytest.mark.parametrize(
    ("url", "code", "words"),
    [
        ("https://github.com/octo/repo/pull/1/files?w=1#diff", 1, ""),
        ("https://github.com/octo/repo/pull/7", 69, "refused GET /repos/octo/repo/pulls/7"),
        ("https://github.com/octo/other/pull/1", 69, "it does not exist"),
        ("https://github.com/octo/repo/issues/1", 64, "neither a number nor an address"),
        ("https://github.com/octo/repo/pull/0", 64, "neither"),
        ("https://github.com/octo/../pull/1", 64, "neither"),
        ("https://github.com/octo/repo/pull/1/../../../x", 64, "neither"),
        ("https://me:secret@github.com/octo/repo/pull/1", 64, "neither"),
        ("http://github.com/octo/repo/pull/1", 64, "neither"),
        ("ext::sh -c date/octo/repo/pull/1", 64, "neither"),
        ("-1", 64, "neither"),
    ],
)
def test_the_address_is_read_strictly(far, url, code, words):
    far.open({"a.py": EVIL})
    given = ("review", f"--pr={url}", "--api-url", far.github.url)
    done = cli(*given, cwd=far.folder, env={"GITHUB_TOKEN": far.github.token()})
    assert done.code == code and words in done.stderr, done.output


def test_a_token_goes_to_no_host_that_an_address_names(far):
    far.open({"a.py": EVIL})
    done = cli(
        "review",
        "--pr",
        "https://ghe.example.com/octo/repo/pull/1",
        cwd=far.folder,
        env=far.github.env(far.github.token()),
    )
    assert done.code == 64 and "--api-url https://ghe.example.com/api/v3" in done.stderr, (
        done.output
    )
    assert far.github.journal.entries == []


def test_an_enterprise_server_is_asked_under_its_own_prefix(far):
    far.open({"a.py": EVIL})
    url = far.github.url.replace("127.0.0.1", "localhost")
    given = ("review", "--pr", f"{url}/octo/repo/pull/1", "--output", "json")
    done = cli(
        *given,
        cwd=far.folder,
        env={"GITHUB_TOKEN": far.github.token(), "GITHUB_API_URL": f"{url}/api/v3"},
    )
    assert done.code == 1 and json.loads(done.stdout)["change"]["head"] == far.repo.rev("topic"), (
        done.output
    )


@pytest.mark.parametrize("option", ["--staged", "--trusted", "--range=A..B", "--base=main"])
def test_it_is_compared_with_its_own_base_and_trusted_by_nobody(far, option):
    far.open({"a.py": EVIL})
    done, _report = far.run(option)
    assert done.code == 64 and "cannot be used together" in done.stderr, done.output


def test_bytes_that_no_json_can_hold_are_read_as_they_are(far):
    far.open({"a.txt": b"caf\xe9 two\nx\n", "b.py": EVIL}, {"a.txt": b"caf\xe9 one\nx\n"})
    (done, report), (_near, expected) = far.run(), far.local()
    assert findings(report) == findings(expected) and report["verdict"]["not_reviewed"] == [], (
        done.output
    )
    asked = [
        entry.path.rpartition("/")[2] for entry in far.github.journal.of("GET", "*/git/blobs/*")
    ]
    assert far.repo.rev("main:a.txt") in asked, "its patch does not lead to it"
