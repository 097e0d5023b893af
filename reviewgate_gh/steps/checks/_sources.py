"""What a check judges."""

from collections.abc import Mapping

from ...model.change import Change, FileDiff
from ...model.values import dataclass


@dataclass(frozen=True, slots=True)
class Sources:
    """A change and what of its head the checks asked for.

    `contents` holds the bytes at head of symbolic links and of files whose base name a check's WANTS names; `sizes` the
    bytes of every changed file; `head_paths` every path at head, filled only when the change brings new names; `between`
    what each commit of several changes against its parent, by its id and oldest first.
    """

    change: Change
    contents: Mapping[str, bytes]
    sizes: Mapping[str, int]
    head_paths: tuple[str, ...] = ()
    between: tuple[tuple[str, tuple[FileDiff, ...]], ...] = ()
