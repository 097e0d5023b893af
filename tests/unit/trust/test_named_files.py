"""Which files of the work tree a command line names directly."""

import os

import pytest

from reviewgate_gh.git import open_repository
from reviewgate_gh.trust.mentions import RepositoryPaths
from reviewgate_gh.trust.named_files import direct_files
from tests.support import Repo


@pytest.mark.parametrize(
    "argv",
    [
        ("sh", "tools/run.sh"),
        ("sh", "./tools//run.sh"),
        ("sh", "LINK/tools/run.sh"),
        ("sh", "../repo/tools/run.sh"),
        ("sh", "/proc/self/cwd/tools/run.sh"),
        ("sh", "-xtools/run.sh"),
        ("sh", "--config=tools/run.sh:first"),
        ("sh", "-c", "exec $PWD/tools/run.sh"),
        ("sh", "-c", "{ ${PWD}/tools/run.sh; }"),
    ],
)
def test_a_file_is_named_however_its_path_is_written(repo: Repo, argv: tuple[str, ...]) -> None:
    repo.write({"tools/run.sh": "true\n"})
    link = repo.path.parent / "link"
    link.symlink_to(repo.path)
    git = open_repository(repo.path, os.environ)
    assert [*direct_files(git, [word.replace("LINK", str(link)) for word in argv])] == [
        "tools/run.sh"
    ]


@pytest.mark.parametrize("name", ["..run.sh", "...", "..", "../run.sh", "/run.sh", ".git/run.sh"])
def test_two_dots_may_begin_a_name(repo: Repo, name: str) -> None:
    repo.write({"..run.sh": "true\n", "...": "true\n"})
    found = [*direct_files(open_repository(repo.path, os.environ), ["sh", name])]
    assert found == ([name] if name in ("..run.sh", "...") else [])


def test_the_heads_of_editorconfigs_sections_name_nothing_that_runs() -> None:
    paths = RepositoryPaths(["A.java", "tools/run.sh"])
    text = "root = true\n[*.java]\nindent_size = 2\n[tools/*.sh]\n"
    assert paths.of_file(text, "src/.editorconfig").mentioned == frozenset()
    assert paths.of_file(text, "tools.cfg").mentioned == {"A.java", "tools/run.sh"}
    assert paths.of_file("use = tools/run.sh\n", ".editorconfig").mentioned == {"tools/run.sh"}
