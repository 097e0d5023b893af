"""Files of the work tree against git's objects."""

import os
import time

import pytest

from reviewgate_gh.reviewers._checkout import WorkTreeFiles


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_a_file_is_the_blob_only_with_its_very_content_and_without_links(make_repo, form):
    repo = make_repo("r", f"--object-format={form}")
    repo.commit({"a.py": "x = 1\n", "d/b.py": "x = 2\n"})
    oid = {path: repo.git("rev-parse", f"HEAD:{path}") for path in ("a.py", "d/b.py")}
    assert WorkTreeFiles(repo.path).has_content("a.py", oid["a.py"]) and WorkTreeFiles(
        repo.path
    ).has_content("d/b.py", oid["d/b.py"])
    assert not WorkTreeFiles(repo.path).has_content("d/b.py", oid["a.py"]) and not WorkTreeFiles(
        repo.path
    ).has_content("gone", oid["a.py"])
    os.rename(repo.path / "d", repo.path / "e")
    (repo.path / "d").symlink_to("e")
    assert not WorkTreeFiles(repo.path).has_content("d/b.py", oid["d/b.py"]), "the folder is a link"
    os.rename(repo.path / "a.py", repo.path / "real.py")
    (repo.path / "a.py").symlink_to("real.py")
    assert not WorkTreeFiles(repo.path).has_content("a.py", oid["a.py"]), "the file is a link"
    os.mkfifo(repo.path / "pipe")
    empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert not WorkTreeFiles(repo.path / "e").has_content(
        "../real.py", oid["a.py"]
    ) and not WorkTreeFiles(repo.path).has_content("x" * 5000 + "/b.py", empty)
    assert not WorkTreeFiles(repo.path).has_content("pipe", empty) and not WorkTreeFiles(
        repo.path
    ).has_content("a\0b", oid["a.py"])


def test_a_tree_behind_a_link_is_itself(make_repo, tmp_path):
    repo = make_repo("r")
    repo.commit({"d/b.py": "x = 2\n"})
    (tmp_path / "link").symlink_to(repo.path)
    assert WorkTreeFiles(tmp_path / "link").has_content(
        "d/b.py", repo.git("rev-parse", "HEAD:d/b.py")
    )


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_little_and_much_is_hashed_alike(make_repo, form):
    repo = make_repo("r", f"--object-format={form}")
    texts = {f"{number}.txt": f"{number}\n" * 60_000 for number in range(9)}
    repo.commit(texts)
    disk = WorkTreeFiles(repo.path)
    assert sum(map(len, texts.values())) > 1_000_000
    assert all(disk.has_content(name, repo.git("rev-parse", f"HEAD:{name}")) for name in texts)
    assert not disk.has_content("0.txt", repo.git("rev-parse", "HEAD:1.txt"))


@pytest.mark.contract(plain=False)
def test_what_was_compared_is_read_again_only_where_somebody_wrote_to_it(make_repo):
    repo = make_repo("r")
    repo.commit({"a.py": "x = 1\n", "b.py": "x = 1\n"})
    oid, place = repo.git("rev-parse", "HEAD:a.py"), repo.path / "a.py"
    time.sleep(2.1)  # a file as young as that is read each time
    disk = WorkTreeFiles(repo.path)
    assert (
        disk.has_content("a.py", oid)
        and disk.has_content("a.py", oid)
        and not disk.has_content("a.py", "0" * 40)
    )
    before = place.stat()
    place.write_text("x = 2\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert place.stat().st_mtime_ns == before.st_mtime_ns and not disk.has_content("a.py", oid)
    place.write_text("x = 1\n")
    assert disk.has_content("a.py", oid)
    place.unlink()
    os.rename(repo.path / "b.py", place)
    assert disk.has_content("a.py", oid)
    place.write_text("x = 3\n")
    assert not disk.has_content("a.py", oid)


def test_a_young_file_is_read_each_time(make_repo):
    repo = make_repo("r")
    repo.commit({"a.py": "x = 1\n"})
    oid, disk = repo.git("rev-parse", "HEAD:a.py"), WorkTreeFiles(repo.path)
    assert disk.has_content("a.py", oid)
    assert not disk._held


def test_a_file_lies_there_where_nobody_wrote_to_it_since_and_no_link_leads_there(make_repo):
    repo = make_repo("r")
    repo.commit({"a.py": "x = 1\n", "d/b.py": "x = 2\n"})
    disk, since = WorkTreeFiles(repo.path), time.time_ns() + 10**9
    assert disk.is_untouched_since("a.py", since) and disk.is_untouched_since("d/b.py", since)
    assert (
        not disk.is_untouched_since("a.py", (repo.path / "a.py").stat().st_mtime_ns)
        and not disk.is_untouched_since("gone", since)
        and not disk.is_untouched_since("d", since)
    )
    os.rename(repo.path / "d", repo.path / "e")
    (repo.path / "d").symlink_to("e")
    (repo.path / "l.py").symlink_to("a.py")
    assert not WorkTreeFiles(repo.path).is_untouched_since(
        "d/b.py", since
    ) and not disk.is_untouched_since("l.py", since)
