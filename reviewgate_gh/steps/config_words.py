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
    "reviewers.*.where": "The doors it answers at: cli, hook, pr, fork; null: all of them, for a language model cli and pr.",
    "reviewers.*.required": "true: without its answer the verdict is inconclusive.",
    "reviewers.*.fallback": "The reviewer that is asked instead when this one cannot answer.",
    "reviewers.*.timeout": "Seconds it may take.",
    "reviewers.*.options": "The plug-in's own options.",
    "ensemble": "How the reviewers are asked.",
    "ensemble.lenses": "What language models look for, one question each: lenses that come with us, or files of .reviewgate-gh/lenses/.",
    "ensemble.assign": "spread: each lens to one model in turn; cross: every lens to every model.",
    "ensemble.verify": "true: one more question lets a model confirm or refute what models found.",
    "ensemble.reverse_audit": "Looking again at the whole change for what was missed.",
    "ensemble.reverse_audit.max_rounds": "The most rounds; 0: none.",
    "ensemble.reverse_audit.stop_after_dry": "So many rounds that find nothing end it.",
    "ensemble.incremental": "true: on a pull request models read what is new since the last review, and open findings stay in the verdict.",
    "ensemble.budget": "What a run may spend on language models. A question beyond it is not asked, and the verdict says so.",
    "ensemble.budget.calls": "The most questions; null: no limit.",
    "ensemble.budget.input_tokens": "The most tokens to send; null: no limit.",
    "ensemble.budget.cost_usd": "The most US dollars, where prices are known; null: no limit.",
    "ensemble.cache": "true: an unchanged question of a local run is answered from its last answer; never in CI.",
    "ensemble.cache_warmup": "true: the first question goes ahead, so that the others find the vendor's prompt cache filled.",
    "ensemble.context_tokens": "The most tokens of a change in one question; files beyond it are not reviewed, and the verdict says so.",
    "ensemble.max_parallel": "How many are asked at once.",
    "ensemble.deadline": "Seconds for the whole run.",
    "policy": "From findings to a verdict.",
    "policy.finding_threshold": "An open finding of this priority or a more severe one blocks: P0, P1, P2, P3; none: nothing does.",
    "policy.exclude": "Files that linters and models do not read, as gitignore patterns. A list of your own replaces the default one.",
    "policy.denied_paths": "Files that are never sent to a language model, as gitignore patterns.",
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
