"""Workflows that do not say which rights they need."""

from collections.abc import Sequence

from msgspec.structs import replace

from ...git import Git
from ...git.objects import read_blobs
from ...model.change import Change
from ...model.finding import Finding, Priority
from ..checks._workflows import is_for_strangers, no_longer_says_rights

RULE = "zizmor/excessive-permissions"
# What the rights are then, the project's settings say; in new repositories to read:
# https://github.blog/changelog/2023-02-02-github-actions-updating-the-default-github_token-permissions-to-read-only/
_UNSAID = "default permissions used"


def weigh_unsaid(findings: Sequence[Finding], change: Change, git: Git) -> tuple[Finding, ...]:
    """The findings, in which rights that were never said weigh little where no stranger starts the
    workflow; rights that the change no longer says are a guard that is gone."""
    wanted = {f.path for f in findings if f.rule == RULE and _UNSAID in f.title}
    files = [file for file in change.files if file.path in wanted]
    texts = read_blobs(git, (oid for file in files for oid in (file.old_oid, file.oid)))
    harmless = {
        file.path
        for file in files
        if (head := texts.get(file.oid, b""))
        and not no_longer_says_rights(texts.get(file.old_oid, b""), head)
        and not is_for_strangers(head, called=False)
    }
    return tuple(
        replace(finding, priority=Priority.P3)
        if finding.rule == RULE and _UNSAID in finding.title and finding.path in harmless
        else finding
        for finding in findings
    )
