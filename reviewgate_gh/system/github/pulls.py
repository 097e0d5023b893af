"""The pull request itself, and how two commits stand to each other."""

from ...model.presubmit import Comparison
from ...model.pull import PullRequest
from . import people
from .client import Client
from .errors import NotFound
from .read import Part

_MOST_COMPARED = 300


def read_pull(client: Client, number: int) -> PullRequest:
    """The pull request as it stands now."""
    found = client.get(client.path("pulls", number))
    base, head = found["base"], found["head"]
    fork = head.maybe("repo")
    return PullRequest(
        number=found.number("number"),
        repository=base["repo"].text("full_name"),
        base=base.oid("sha"),
        head=head.oid("sha"),
        base_ref=base.text("ref"),
        author=people.from_rest(found.maybe("user")),
        head_repository=fork.text("full_name") if fork else "",
        head_ref=head.text("ref"),
        state="merged" if found.flag("merged") else found.text("state"),
        draft=found.flag("draft"),
        changed_files=found.number("changed_files"),
        merge_commit=found.oid("merge_commit_sha") if found.maybe("merge_commit_sha") else "",
        node=found.text("node_id"),
        labels=frozenset(label.text("name") for label in found.items("labels")),
    )


def find_pull(client: Client, repository: str, branch: str, head: str, parted: str = "") -> int:
    """The number of the open pull request from this branch whose head is this very commit; 0 where there is none.

    Of several, which go to different branches, the one whose branch it has left at the commit `parted`, else the newest.
    """
    owner = repository.partition("/")[0]
    found = []
    for each in client.pages(client.path("pulls"), state="open", head=f"{owner}:{branch}").items:
        fork = each["head"].maybe("repo")
        if each["head"].oid("sha") == head and fork and fork.text("full_name").lower() == repository.lower():
            found.append((each.number("number"), each["base"].text("ref")))
    if len(found) > 1:
        found = [each for each in found if read_merge_base(client, each[1], head) == parted] or found
    return found[0][0] if found else 0


def read_merge_base(client: Client, base: str, head: str) -> str:
    """The commit at which the diff of two commits starts."""
    return _compared(client, base, head)["merge_base_commit"].oid("sha")


def read_comparison(client: Client, base: str, head: str) -> Comparison:
    """How `head` stands to `base`; "unknown" where GitHub does not have one of them any more."""
    try:
        found = _compared(client, base, head)
    except NotFound:
        return Comparison("unknown")
    files = found.items("files")
    paths = {path for each in files for path in (each.text("filename"), each.optional("previous_filename")) if path}
    return Comparison(found.text("status"), found.number("ahead_by"), frozenset(paths) if len(files) < _MOST_COMPARED else None)


def _compared(client: Client, base: str, head: str) -> Part:
    return client.get(client.path("compare", f"{base}...{head}"), per_page=1)
