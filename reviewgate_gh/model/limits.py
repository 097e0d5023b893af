"""What the values of the config share: no unknown keys, no turned types, no number below its
least."""

STRICT = {"extra": "forbid", "strict": True}


def require_at_least(name: str, value: float | None, least: float) -> None:
    """Nothing, for a number from `least` on or none at all.

    Raises:
        ValueError: it is less, or not a number.
    """
    if value is not None and not value >= least:  # not a number is not enough
        raise ValueError(f"{name} must be {least:g} or more")
