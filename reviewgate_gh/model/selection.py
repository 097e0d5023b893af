"""What the user asked to have reviewed, before git was asked what that is."""

from .values import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """At most one of these is set; none means: what is not yet on the upstream."""

    base: str = ""
    range: str = ""
    commit: str = ""
    staged: bool = False
    uncommitted: bool = False
    all_files: bool = False

    @property
    def named(self) -> tuple[str, ...]:
        """The options that were given, as written on the command line."""
        return tuple(f"--{name.replace('_', '-')}" for name in self.__slots__ if getattr(self, name))


@dataclass(frozen=True, slots=True)
class Range:
    """Two object ids (commits or trees) and how they were found; `whole` means: every file counts as changed.

    `local` says that head was never committed: the index or the work tree; `foreign` that it is somebody else's, wherever
    its commits were made.
    """

    base: str
    head: str
    notes: tuple[str, ...] = ()
    local: bool = False
    whole: bool = False
    foreign: bool = False
