"""How output may look."""

from msgspec import Struct


class OutputStyle(Struct, frozen=True):
    """Colour or not, the width in columns, whether characters beyond ASCII can be shown, and
    whether the findings that are not open are listed.

    `quiet`: nothing but open findings and the verdict, and nothing at all for a pass.
    `terminal`: somebody looks at it, so long rows are broken between words. `root`: the absolute
    folder that links to files begin with; "" for no links. `repository`: the web address of the
    repository, where the reviewed commit is; "" where that is not known.
    """

    color: bool = False
    width: int = 80
    unicode: bool = True
    verbose: bool = False
    quiet: bool = False
    terminal: bool = False
    root: str = ""
    repository: str = ""
