"""What the user has approved in this clone, by content."""

from .values import dataclass

NO_BRANCH = ""


@dataclass(frozen=True, slots=True)
class Approvals:
    """`files` are (path, blob id) pairs, `waivers` digests of single entries, `trees` ids of whole trees that were approved.

    `branch` is the full name of the ref whose settings count for changes that are not approved; "" where none was recorded.
    """

    files: frozenset[tuple[str, str]] = frozenset()
    waivers: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()
    branch: str = NO_BRANCH

    def holds(self, path: str, oid: str) -> bool:
        """This very content was approved at this path."""
        return (path, oid) in self.files

    def blobs(self, path: str) -> frozenset[str]:
        """The blobs that were approved at this path."""
        return frozenset(oid for name, oid in self.files if name == path)
