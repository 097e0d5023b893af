"""Whether what guards this clone is still what the program itself last wrote, by its audit log.

Whoever edits these files by hand, whatever the tool, leaves a difference.
"""

from ..git import Git
from ..model.finding import sha256_hex
from .approvals import approvals_file
from .audit_log import last_entry

HOOK_KIND, INSTALLED, REMOVED = "hook", "installed", "removed"


def approvals_changed(git: Git) -> str:
    """That the approvals are not those that were recorded last; "" where they are, or where nothing
    was recorded."""
    entry = last_entry(git.common, "trust")
    recorded = entry.what.get("sha256") if entry else None
    if not isinstance(recorded, str):
        return ""
    try:
        data = approvals_file(git).read_text("utf-8", "surrogateescape")
    except OSError:
        data = ""
    if sha256_hex(data) == recorded:
        return ""
    return (
        f"the approvals in {approvals_file(git)} were changed, and not by this program: look at "
        "them with reviewgate-gh trust --list, take them back with reviewgate-gh trust --revoke"
    )


def hook_is_due(git: Git) -> bool:
    """A pre-push hook was installed here, and not removed since."""
    entry = last_entry(git.common, HOOK_KIND)
    return entry is not None and entry.what.get("done") == INSTALLED
