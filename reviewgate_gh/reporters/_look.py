"""How output may look."""

from ..model.values import dataclass


@dataclass(frozen=True, slots=True)
class OutputStyle:
    """Colour or not, the width in columns, and whether characters beyond ASCII can be shown."""

    color: bool = False
    width: int = 80
    unicode: bool = True
