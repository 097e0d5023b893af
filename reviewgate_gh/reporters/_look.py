"""How output may look."""

from msgspec import Struct


class OutputStyle(Struct, frozen=True):
    """Colour or not, the width in columns, and whether characters beyond ASCII can be shown."""

    color: bool = False
    width: int = 80
    unicode: bool = True
