"""Trusted folders as Gemini CLI keeps them, and Qwen Code, which comes of it."""

from collections.abc import Mapping
from pathlib import Path

from ..json_files import as_object, read_object


def untrusted_folder(variables: Mapping[str, str], folder: str, name: str, title: str) -> list[str]:
    """Why hooks are skipped in this folder: trust is asked for, and it has none."""
    home = Path(variables.get("HOME", "/"), name)
    security = as_object(read_object(home / "settings.json").get("security"))
    if as_object(security.get("folderTrust")).get("enabled") is not True:
        return []
    known = read_object(home / "trustedFolders.json")
    here = Path(folder)
    # https://geminicli.com/docs/cli/trusted-folders (TRUST_PARENT: the folder above it)
    trusted = any(
        (rule == "TRUST_FOLDER" and here.is_relative_to(path))
        or (rule == "TRUST_PARENT" and here.is_relative_to(Path(path).parent))
        for path, rule in known.items()
    )
    if trusted and known.get(folder) != "DO_NOT_TRUST":
        return []
    return [
        f"{home / 'trustedFolders.json'} does not trust this folder, so {title} skips its hooks"
    ]
