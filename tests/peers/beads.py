"""A program `bd` for machines without the real one: the calls that we make of it, with its words,
in a JSON file of its own.

`init` makes the database; `list` hides what is closed and stops at 50, as the real one does unless
told otherwise.
"""

import argparse
import json
import os
import sys
from pathlib import Path

PRIORITY = {f"P{number}": number for number in range(5)}


def database() -> Path:
    """The file, in the nearest `.beads` above."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / ".beads").is_dir():
            return folder / ".beads/fake.json"
    sys.exit("Error: no beads database found")


def say(payload: object) -> None:
    """As JSON, in the envelope where that is asked for."""
    print(
        json.dumps(
            {"schema_version": 1, "data": payload}
            if os.environ.get("BD_JSON_ENVELOPE") == "1"
            else payload
        )
    )


def create(args: argparse.Namespace, issues: list[dict]) -> None:
    if not args.title or len(args.title) > 500:
        sys.exit("Error: title required, at most 500 characters")
    made = {
        "id": f"fake-{len(issues) + 1:x}", "title": args.title,
        "description": sys.stdin.read() if args.body_file else "",
        "notes": args.notes, "status": "open", "priority": int(args.priority),
        "issue_type": args.type,
    }  # fmt: skip
    say(made | {"schema_version": 1})
    issues.append(
        made
        | {
            "labels": sorted(args.labels.split(",")),
            "dependencies": [args.deps] if args.deps else [],
        }
    )


def listing(args: argparse.Namespace, issues: list[dict]) -> None:
    shown = [issue for issue in issues if args.all or issue["status"] != "closed"]
    if args.parent:
        shown = [issue for issue in shown if f"parent-child:{args.parent}" in issue["dependencies"]]
    say(shown[: args.limit or None])


def show(args: argparse.Namespace, issues: list[dict]) -> None:
    issue = one(args, issues)
    links = [entry.partition(":")[::2] for entry in issue["dependencies"]]
    say([issue | {"dependencies": [{"id": name, "dependency_type": kind} for kind, name in links]}])


def update(args: argparse.Namespace, issues: list[dict]) -> None:
    issue = one(args, issues)
    for key in ("notes", "status", "priority"):
        if (value := getattr(args, key)) is not None:
            issue[key] = int(value) if key == "priority" else value
    say([issue])


def close(args: argparse.Namespace, issues: list[dict]) -> None:
    issue = one(args, issues)
    issue |= {"status": "closed", "close_reason": args.reason}
    say([issue])


def one(args: argparse.Namespace, issues: list[dict]) -> dict:
    """The issue that is named."""
    for issue in issues:
        if issue["id"] == args.id:
            return issue
    print(json.dumps({"error": f"no issue found matching {args.id!r}"}))
    return sys.exit(1)


def parser() -> argparse.ArgumentParser:
    """The options that are known; any other is refused, as by the real one."""
    top = argparse.ArgumentParser("bd")
    verbs = top.add_subparsers(dest="verb", required=True)
    verbs.add_parser("init")
    made = verbs.add_parser("create")
    for name in ("--title", "--notes", "--labels", "--deps", "--body-file"):
        made.add_argument(name, default="")
    made.add_argument("--type", choices=("bug", "feature", "task", "epic", "chore", "decision"))
    made.add_argument("--priority", choices=("0", "1", "2", "3", "4"))
    shown = verbs.add_parser("list")
    shown.add_argument("--all", action="store_true")
    shown.add_argument("--limit", type=int, default=50)
    shown.add_argument("--parent", default="")
    one_of_them = verbs.add_parser("show")
    changed = verbs.add_parser("update")
    for name in ("--notes", "--status", "--priority"):
        changed.add_argument(name)
    done = verbs.add_parser("close")
    done.add_argument("--reason", default="")
    for each in (changed, done, one_of_them):
        each.add_argument("id")
    for each in (made, shown, changed, done, one_of_them):
        each.add_argument("--json", action="store_true")
    return top


def main() -> None:
    args = parser().parse_args()
    if args.verb == "init":
        Path(".beads").mkdir(exist_ok=True)
        return
    path = database()
    issues = json.loads(path.read_text("utf-8")) if path.exists() else []
    {"create": create, "list": listing, "show": show, "update": update, "close": close}[args.verb](
        args, issues
    )
    path.write_text(json.dumps(issues), "utf-8")


def real() -> Path:
    """The folder of the real `bd`: on PATH, or as the peers' script built it.

    Skips the test where there is none.
    """
    from ..support import built

    return built("bd").parent


def install(folder: Path) -> Path:
    """Put the program into a folder that a test prepends to PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "bd"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {__file__} "$@"\n', "utf-8")
    program.chmod(0o755)
    return folder


if __name__ == "__main__":
    main()
