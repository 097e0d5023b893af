"""Show and approve what the configuration may run or loosen."""

import json
import shlex
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins

from ..gate.deliver import write_stdout
from ..git import Git, open_repository
from ..reporters._words import count_noun
from ..system.environment import Environment
from ..text.safe import safe_line
from ..tools.trust import (
    ApprovalItem,
    approve_change,
    approve_items,
    list_approvable,
    record_trusted_branch,
    revoke_approvals,
)
from ..trust.approvals import approvals_file, load_approvals
from ..trust.attempts import require_person
from ..trust.named_files import APPROVED_BY_NAME
from ..trust.provenance import trusted_branch
from ._options import non_empty, repo, result_form


@click.command("trust")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--change",
    callback=non_empty,
    metavar="RANGE",
    help="Approve a whole change: the tree of a commit, or of the last commit of A..B.",
)
@click.option(
    "--branch",
    callback=non_empty,
    metavar="REF",
    help="Record the branch whose settings apply to changes that are not approved.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be approved without approving it.")
@click.option("--list", "listed", is_flag=True, help="Show what is approved in this clone.")
@click.option("--revoke", is_flag=True, help="Revoke the approvals of the named files, or all.")
@result_form
@repo
def command(
    paths: tuple[str, ...],
    change: str,
    branch: str,
    dry_run: bool,
    listed: bool,
    revoke: bool,
    form: str,
    repo: Path,
) -> int:
    """Show what the configuration, waivers and linter settings of the work tree would run or
    loosen, and approve it.

    Approvals are kept in the git directory of this clone, by content: a file that changes is no
    longer approved.
    """
    if sum(map(bool, (change, branch, dry_run, listed, revoke))) > 1:
        raise click.UsageError(
            "--change, --branch, --dry-run, --list and --revoke cannot be used together"
        )
    if paths and not revoke:
        raise click.UsageError(
            "PATH can only be used with --revoke; without --revoke, everything that is shown is "
            "approved"
        )
    environment = Environment.current()
    git = open_repository(repo, environment.variables)
    if not (listed or revoke or dry_run):
        words = ["reviewgate-gh", "trust"]
        words += ["--change", change] * bool(change) + ["--branch", branch] * bool(branch)
        what = change or branch or "what may run or loosen the gate here"
        require_person(git, environment, f"approve {what}", shlex.join(words))
    if change:
        return _change(git, change, form)
    if branch:
        return _branch(git, branch)
    if listed:
        return _list(git, form)
    if revoke:
        return _revoke(git, paths)
    return _approve(git, dry_run, form)


def _approve(git: "Git", dry_run: bool, form: str) -> int:
    rows = list_approvable(git)
    if not dry_run:
        approve_items(git, rows)
    if form == "json":
        return _data([to_builtins(row) for row in rows])
    for row in rows:
        _say(_words(row))
        for what in row.does:
            _say(what, "    ")
    if not rows:
        _say(
            "nothing here needs approval: no configuration, waiver or linter setting runs or "
            "loosens anything"
        )
    elif dry_run:
        _say("nothing was approved; to approve this, run: reviewgate-gh trust")
    else:
        _say(f"approved for this clone, in {approvals_file(git)}")
    return 0


def _words(row: "ApprovalItem") -> str:
    if row.oid == APPROVED_BY_NAME:
        return (
            f"{row.path}  any content  a module that Python could import, though nothing here does"
        )
    state = row.oid[:12] if row.oid else "not a regular file: it cannot be approved"
    return f"{row.path}  {state}  {row.why}"


def _change(git: "Git", change: str, form: str) -> int:
    done = approve_change(git, change)
    if form == "json":
        return _data({"tree": done.tree, "change": done.words})
    _say(f"approved: the tree {done.tree[:12]} of {done.words}")
    return 0


def _branch(git: "Git", branch: str) -> int:
    _say(f"changes that are not approved use the settings of {record_trusted_branch(git, branch)}")
    return 0


def _list(git: "Git", form: str) -> int:
    known = load_approvals(git)
    branch = trusted_branch(git, known.branch)[0]
    if form == "json":
        files = [{"path": path, "oid": oid} for path, oid in sorted(known.files)]
        about = {"branch": branch, "recorded": bool(known.branch)}
        runs = {each.run_id: [*each.agents] for each in known.grants}
        more = {"waivers": len(known.waivers), "trees": sorted(known.trees), "runs": runs}
        return _data({**about, "files": files, **more})
    default = "" if known.branch or not branch else " (the default; none was recorded)"
    _say(f"branch   {branch or 'none'}{default}")
    for path, oid in sorted(known.files):
        _say(f"file     {path}  {oid[:12]}")
    for tree in sorted(known.trees):
        _say(f"change   tree {tree[:12]}")
    for grant in sorted(known.grants, key=lambda each: each.run_id):
        count = count_noun(len(grant.commits), "commit") + " of its fixers"
        _say(f"run      {grant.run_id}  {', '.join(grant.agents) or count}")
    if known.waivers:
        _say(f"waivers  {len(known.waivers)} written by reviewgate-gh waive")
    return 0


def _revoke(git: "Git", paths: tuple[str, ...]) -> int:
    count = revoke_approvals(git, paths)
    _say(f"revoked {count_noun(count, 'approval')}")
    return 0


def _say(text: str, indent: str = "") -> None:
    """One line; its text may come from an untrusted configuration."""
    write_stdout(f"{indent}{safe_line(text)}\n")


def _data(plain: Any) -> int:
    write_stdout(json.dumps(plain, indent=2) + "\n")
    return 0
