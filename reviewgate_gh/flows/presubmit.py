"""Everything to know before a review is posted, as one JSON report. It only reads."""

import json
import re
import sys
from pathlib import Path
from typing import Any

from ..model.errors import UsageError
from ..model.exits import Exit
from ..model.presubmit import Bucket, Current, Presubmit
from ..model.values import dataclass
from ..reporters._doors import data, line
from ..reporters._words import counted
from ..steps.new_findings import read
from ..steps.presubmit import Asked, plain, presubmit
from ..system.github.client import Client
from ..system.world import World
from .deliver import write
from .pull import ci_of, pull_number, pulled

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for: the pull request, the reviewed commit, where the report goes, and the new findings' file."""

    number: str
    sha: str
    out: Path
    findings: Path | None = None
    require_ci: bool = False


def run_presubmit(wanted: Wanted, client: Client, world: World) -> int:
    """Write the report, and say on standard error what it comes to.

    Raises:
        UsageError: an argument is wrong, or the report cannot be written.
        UpstreamError: GitHub refuses or cannot be reached: then there is no report.
    """
    if not _SHA.fullmatch(wanted.sha):
        raise UsageError(f"{wanted.sha!r} is not a full commit id", "give the full id, as printed by: git rev-parse HEAD")
    number = pull_number(wanted.number)
    current, invalid = _new_findings(wanted)
    facts = pulled(client, number, wanted.sha)
    ci = ci_of(client, facts, world)
    asked = Asked(facts.pull, wanted.sha, facts.viewer, ci, facts.threads, facts.comparison)
    report = presubmit(asked, current, invalid=invalid, require_ci=wanted.require_ci)
    write(wanted.out, json.dumps(_redacted(plain(report)), indent=2) + "\n")
    for text in (*_said(report), *report.notes, *([facts.note] if facts.note else []), counted(client.requests.total, "request")):
        print(f"reviewgate-gh: {line(text, 600)}", file=sys.stderr)
    return Exit.OK


def _new_findings(wanted: Wanted) -> tuple[Current | None, str]:
    """The findings, or why their file cannot be used: the report says so, and nothing is approved then."""
    if wanted.findings is None:
        return None, ""
    try:
        return read(wanted.findings.read_bytes(), wanted.sha), ""
    except OSError as error:
        return None, f"it cannot be read: {error.strerror}"
    except ValueError as error:
        return None, str(error)


def _said(report: Presubmit) -> list[str]:
    """The log for people: CI, what was found of ours and set aside, and why nothing is approved."""
    buckets = {bucket: report.bucket(bucket) for bucket in Bucket}
    counts = ", ".join(f"{len(found)} {bucket.value}" for bucket, found in buckets.items() if found)
    rows = [
        f"{each.thread.path}:{each.thread.line} {bucket.value}: {each.note or each.fingerprint}"
        for bucket, found in buckets.items()
        for each in found
    ]
    return [f"CI: {report.ci.cls.value}", f"our comments: {counts or 'none'}", *rows, *report.reasons]


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return data(value)
    if isinstance(value, dict):
        return {key: _redacted(item) for key, item in value.items()}
    return [_redacted(item) for item in value] if isinstance(value, list) else value
