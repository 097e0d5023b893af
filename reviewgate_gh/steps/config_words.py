"""What each key of the config means, in one line: for the schema, and for the file that `init` writes."""

from collections.abc import Mapping
from typing import Any

ANY = "*"  # stands for a name that the user chooses

WORDS: Mapping[str, str] = {
    "version": "The version of this file's format.",
    "required_version": 'The releases of reviewgate-gh that may read this file, for example ">=0.1,<1"; null: any.',
    "mode": "block: a verdict of block fails the run. warn: it is reported and the exit code is 0; inconclusive still fails.",
    "reviewers": "Who reviews: a name of your choice, and the plug-in behind it. A list of your own replaces the default one.",
    "reviewers.*.type": "The plug-in.",
    "reviewers.*.where": "The doors it answers at: cli, hook, pr, fork; null: all of them.",
    "reviewers.*.required": "true: without its answer the verdict is inconclusive.",
    "reviewers.*.timeout": "Seconds it may take.",
    "reviewers.*.options": "The plug-in's own options.",
    "ensemble": "How the reviewers are asked.",
    "ensemble.max_parallel": "How many are asked at once.",
    "ensemble.deadline": "Seconds for the whole run.",
    "policy": "From findings to a verdict.",
    "policy.finding_threshold": "An open finding of this priority or a more severe one blocks: P0, P1, P2, P3; none: nothing does.",
    "policy.exclude": "Files that linters and models do not read, as gitignore patterns. A list of your own replaces the default one.",
    "policy.max_file_bytes": "Files with more bytes are not reviewed.",
    "policy.require_ci": "true: a pull request without any check is not approved.",
    "publish": "What is posted on a pull request.",
    "publish.approve": "true: a pass approves, where nothing stands against it; false: it comments.",
    "publish.request_changes": "true: a block requests changes, and a later pass takes that back; false: it comments.",
    "publish.max_inline": "How many findings get a comment at their line; the rest is listed in the review's text.",
    "publish.inline_from": "The least severe priority that is posted: P0, P1 or P2; P3 never is.",
    "publish.check_run": "true: the verdict is a check run, too.",
    "publish.resolve": "true: threads of findings that are gone are resolved, not only minimised.",
    "hook": "The pre-push hook.",
    "hook.deadline": "Seconds for a whole push.",
    "hook.reviewers": "The names of the reviewers to ask; null: those whose `where` has hook.",
    "tracker": "Where findings become issues: with publish, in the Action and with findings sync; a review by hand makes none.",
    "tracker.type": "local: a file in this clone; beads: its program bd; github: the repository's issues; none.",
    "tracker.issues_from": "The least severe priority that becomes an issue: P0, P1, P2 or P3.",
    "tracker.max_new": "How many new issues a run makes; the others wait for the next one.",
    "tracker.close_fixed": "true: an issue is closed when a review of the same commits no longer has its finding.",
    "tracker.options": "The plug-in's own options.",
    "linters": "Settings of a linter, by its name.",
    "linters.*.enabled": "null: run it when it is one of the defaults or the project configures it.",
    "linters.*.args": "Arguments to add to its command line.",
    "linters.*.timeout": "Seconds it may take.",
}


def described(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema of the config with these words as descriptions."""
    definitions = {name: dict(body) for name, body in schema.get("$defs", {}).items()}
    top = {**schema, "properties": _properties(schema["properties"], "", definitions)}
    return {**top, "$defs": definitions}


def _properties(properties: Mapping[str, Any], prefix: str, definitions: dict[str, dict[str, Any]]) -> dict[str, Any]:
    done = {}
    for name, body in properties.items():
        key = f"{prefix}{name}"
        done[name] = {**body, "description": WORDS[key]}
        named = _definition(body)
        if named:
            below = f"{key}." if "$ref" in body else f"{key}.{ANY}."
            definitions[named]["properties"] = _properties(definitions[named]["properties"], below, definitions)
    return done


def _definition(body: Mapping[str, Any]) -> str:
    """The definition that a property, or each value under it, refers to."""
    values = body.get("additionalProperties")
    reference = body.get("$ref") or (values.get("$ref", "") if isinstance(values, Mapping) else "")
    return str(reference).rpartition("/")[2]
