"""The `git cat-file` that is kept running: what it answers, how it ends, and what happens where it
cannot answer."""

import gc
import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest

from reviewgate_gh.git import Git, GitFailed, open_repository
from reviewgate_gh.git.objects import (
    list_files_in,
    read_blobs,
    read_files,
    read_object_sizes,
    read_objects,
    read_parents,
    read_sizes,
)
from reviewgate_gh.model.errors import GateError
from reviewgate_gh.system.children import stop_all_children
from tests.support import Repo

NAMES = (
    " a\tb",
    "ünï",
    'q"uote',
    "-dash",
    "x b/y",
    "sub/deep/er/file",
    "sub/.keep",
    "sub/deep/other",
    "a\nb/c",
)


def opened(repo: Repo, **env: str) -> Git:
    return open_repository(repo.path, {**os.environ, **env})


def children() -> set[int]:
    own = os.getpid()
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if (
            int(words[1]) == own
            and words[0] != "Z"
            and b"cat-file" in (path.parent / "cmdline").read_bytes()
        ):
            found.add(int(path.parent.name))
    return found


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_folders_are_as_git_lists_them(tmp_path: Path, kind: str) -> None:
    repo = Repo.init(tmp_path / "repo", f"--object-format={kind}")
    repo.commit({name: f"{name}\n" for name in NAMES} | {"run.sh": "#!/bin/sh\n", "empty": ""})
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "link").symlink_to("sub")
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "more")
    git = opened(repo)
    folders = [
        "",
        "sub/",
        "sub/deep/",
        "sub/deep/er/",
        "x b/",
        "no/",
        "link/",
        "run.sh/",
        "sub/deep/er/file/",
        "../",
        "./sub/",
        "../sub/",
        "a\nb/",
    ]
    rows = [
        row.split("\t", 1) for row in repo.git("ls-tree", "-r", "-z", "HEAD").split("\0") if row
    ]
    expected = {(*head.split(" ")[::2], path) for head, path in rows if head.startswith("100")}
    assert {
        (each.mode, each.oid, each.path)
        for each in list_files_in(git, repo.head, folders, lambda _name: True)
    } == expected
    found = read_files(
        git, repo.head, [*NAMES, "link", "sub", "nothing", "sub/nothing", "link/.keep", "empty"]
    )
    assert found == {name: f"{name}\n".encode() for name in NAMES} | {"empty": b""}


@pytest.mark.contract(plain=False)
@pytest.mark.parametrize("count", [3, 400])
def test_few_and_many_objects_are_read_alike(repo: Repo, count: int) -> None:
    texts = {f"{number}.txt": f"{number}\n" * (1 + number % 50 * 500) for number in range(count)}
    repo.commit(texts)
    git = opened(repo)
    oids = {
        entry.path: entry.oid
        for entry in list_files_in(git, repo.head, [""], lambda name: name in texts)
    }
    missing = "0" * 39 + "1"
    blobs, known = (
        read_blobs(git, [missing, *oids.values()]),
        read_sizes(git, [missing, *oids.values()]),
    )
    assert (
        {name: blobs[oid].decode() for name, oid in oids.items()} == texts
        and missing not in blobs
        and missing not in known
    )
    assert {name: known[oid] for name, oid in oids.items()} == {
        name: len(text) for name, text in texts.items()
    }


@pytest.mark.parametrize(
    "name",
    [
        "",
        "no such",
        "-h",
        "HEAD@{9999}",
        "HEAD:a.py",
        "HEAD^{",
        "\udcff",
        "HEAD HEAD",
        "a" * 100_000,
    ],
)
def test_a_name_that_is_none_spoils_no_later_answer(repo: Repo, name: str) -> None:
    repo.commit({"a.py": "x\n"})
    git = opened(repo)
    assert read_parents(git, name) is None
    assert read_parents(git, "HEAD") == (repo.head, [repo.rev("HEAD~")])


def test_one_process_answers_all_and_ends_with_its_repository(repo: Repo) -> None:
    before = children()
    git = opened(repo)
    for _ in range(3):
        assert read_objects(git, ["HEAD^{commit}"]) and read_object_sizes(git, ["HEAD"])
    [kept] = children() - before
    os.kill(kept, signal.SIGKILL)
    with pytest.raises(GitFailed):
        read_objects(git, ["HEAD"])
    assert read_objects(git, ["HEAD"])[0]
    [another] = children() - before - {kept}
    del git
    gc.collect()
    end = time.monotonic() + 30
    while another in children():
        assert time.monotonic() < end


def test_a_copy_of_the_process_asks_one_of_its_own(repo: Repo) -> None:
    git = opened(repo)
    [expected] = read_objects(git, ["HEAD"])
    reading, writing = os.pipe()
    if (copy := os.fork()) == 0:
        try:
            os.write(
                writing,
                read_objects(git, ["HEAD"])[0].data
                if read_objects(git, ["HEAD"])[0]
                else b"nothing",
            )
        finally:
            os._exit(0)
    assert os.read(reading, 10_000) == expected.data
    os.waitpid(copy, 0)
    assert read_objects(git, ["HEAD"]) == [expected]


def test_a_copy_of_the_process_that_stops_everything_stops_nothing_of_the_first(repo: Repo) -> None:
    git = opened(repo)
    assert read_objects(git, ["HEAD"])
    if (copy := os.fork()) == 0:
        stop_all_children()
        os._exit(0)
    os.waitpid(copy, 0)
    assert read_objects(git, ["HEAD"])


def test_many_threads_get_their_own_answers(repo: Repo) -> None:
    repo.commit({f"{number}": f"{number}\n" * 5000 for number in range(20)})
    git, wrong = opened(repo), []

    def ask(number: int) -> None:
        for _ in range(20):
            [found] = read_objects(git, [f"HEAD:{number}"])
            if found is None or found.data != f"{number}\n".encode() * 5000:
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_folder_that_is_not_in_this_clone_is_an_error_and_no_empty_folder(repo: Repo) -> None:
    repo.commit({"sub/settings": "x\n"})
    oid = repo.rev("HEAD:sub")
    (repo.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(GateError):
        read_files(opened(repo), repo.head, ["sub/settings"])
    assert read_files(opened(repo), repo.head, ["other"]) == {}


def test_a_git_that_hangs_is_given_up_and_one_that_talks_nonsense_is_not_believed(
    repo: Repo, tmp_path: Path
) -> None:
    real = shutil.which("git")
    for words, match in (
        ("exec sleep 600", "deadline"),
        ("echo nonsense; exec sleep 600", "unexpected output from git"),
        ("echo broken >&2; exit 1", "broken"),
    ):
        fake = tmp_path / words[:6] / "git"
        fake.parent.mkdir(exist_ok=True)
        fake.write_text(
            f'#!/bin/sh\ncase "$*" in *batch-command*) {words};; esac\nexec {real} "$@"\n'
        )
        fake.chmod(0o755)
        git = opened(repo, PATH=f"{fake.parent}:{os.environ['PATH']}")
        object.__setattr__(git, "deadline", 0.5)
        with pytest.raises(GitFailed, match=match):
            read_objects(git, ["HEAD", "HEAD"])
