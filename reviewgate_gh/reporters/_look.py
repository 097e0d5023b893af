"""How output may look."""

from msgspec import Struct


class OutputStyle(Struct, frozen=True):
    """Colour or not, the width in columns, whether characters beyond ASCII can be shown, and
    whether the findings that are not open are listed."""

    color: bool = False
    width: int = 80
    unicode: bool = True
    verbose: bool = False
