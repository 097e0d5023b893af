"""What each key of the config means, in one line: for the schema, and for the file that `init` writes."""

from collections.abc import Mapping, Sequence
from typing import Any

ANY = "*"  # stands for a name that the user chooses

WORDS: Mapping[str, str] = {
    "version": "The version of this file's format.",
    "required_version": 'The releases of reviewgate-gh that may read this file, for example ">=0.1,<1"; null: any.',
    "mode": "block: a verdict of block fails the run. warn: it is reported and the exit code is 0; inconclusive still fails.",
    "reviewers": "Who reviews: a name of your choice, and the plug-in behind it. A list of your own replaces the default one.",
    "reviewers.*.type": "The plug-in.",
    "reviewers.*.where": "The doors it answers at: cli, hook, pr, fork; null: all, for a model cli and pr, for an external gate cli.",
    "reviewers.*.required": "true: where it cannot be asked there is no verdict. One that is asked and gives no answer always means that.",
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
    "ensemble.budget.cost_usd": "The most US dollars; a model whose price is not known is not asked. null: no limit.",
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
    "policy.require_ci": "true: nothing is approved without a check of somebody else's that passed.",
    "policy.coverage": "What code comes to that no linter or model for its language read; one word is short for its key unread.",
    "policy.coverage.unread": "report: the verdict is at least concerns; require: inconclusive.",
    "policy.coverage.allow": "Languages for which that is fine, by the names that reports show.",
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
    "commands": "Commands that triggers name, each as a list: the program and its arguments. Others are looked for in the project.",
    "remediation": "Who mends what a trigger found, as a program and its arguments; findings come on its input and in a file.",
    "remediation.resume": "At the end of a session: goes on with that session.",
    "remediation.fixer": "At the end of an epic or a run: a session of its own.",
    "remediation.timeout": "Seconds one of them may take.",
    "validation_triggers": "What runs at the end of a session, an epic and a run; see reviewgate-gh orchestrate.",
    "validation_triggers.session_end": "When a session about one issue has ended well: its commits are reviewed.",
    "validation_triggers.epic_completion": "When all issues of an epic are closed.",
    "validation_triggers.run_end": "When a run has worked through its issues.",
    "validation_triggers.periodic": "After so many issues; an orchestrator of your own fires it.",
    "validation_triggers.*.commands": "What to run before the review, by name.",
    "validation_triggers.*.commands.*.ref": "The command's name.",
    "validation_triggers.*.commands.*.timeout": "Seconds the command may take.",
    "validation_triggers.*.failure_mode": "A failed command: abort ends the run, continue goes on, remediate lets the fixer try.",
    "validation_triggers.*.max_retries": "How often the fixer is called for failed commands; null: 3.",
    "validation_triggers.*.code_review": "The review; null: none.",
    "validation_triggers.*.epic_depth": "top_level: not for epics within epics; all.",
    "validation_triggers.*.fire_on": "success: when no issue failed; failure: when one did; both.",
    "validation_triggers.*.interval": "After how many issues.",
    "per_issue_review": "The review at the end of a session where that trigger says nothing of one; its keys are those of code_review.",
    "reviewer_type": "Deprecated: a review at the end of every session by cerberus, agent_sdk or ensemble.",
    "epic_verification": "How an epic is verified; the trigger epic_completion says when.",
    "epic_verification.enabled": "true: epics are verified.",
    "epic_verification.reviewer_type": "agent_sdk; cerberus: an external review gate; ensemble: all language models that are declared.",
    "epic_verification.timeout": "Seconds that an attempt may take.",
    "epic_verification.max_retries": "How often it is tried again where there was no verdict.",
    "epic_verification.failure_mode": "Not met, or no verdict: abort ends the run, continue goes on, remediate makes an issue of it.",
    "epic_verification.cerberus": "Settings of the external gate; null: none.",
    "epic_verification.cerberus.timeout": "Seconds to wait for the gate; null: as epic_verification.timeout.",
    "epic_verification.cerberus.spawn_args": "Arguments for spawning the verification, each an entry.",
    "epic_verification.cerberus.wait_args": "Arguments for waiting, each an entry.",
    "epic_verification.cerberus.env": "Variables for its environment.",
    "code_review.enabled": "true: the review runs.",
    "code_review.reviewer_type": "cerberus: an external review gate; agent_sdk; ensemble: all reviewers that are declared here.",
    "code_review.failure_mode": "A reviewer without a result: abort ends the run, continue goes on, remediate asks again first.",
    "code_review.max_retries": "How often a reviewer is asked again, and how often the fixer is called, each time the trigger fires.",
    "code_review.finding_threshold": "Open findings of this priority or a more severe one must be mended; none: nothing must.",
    "code_review.baseline": "since_run_start or since_last_review; not at the end of a session: an issue's own commits are reviewed.",
    "code_review.cerberus": "Settings of the external gate.",
    "code_review.cerberus.timeout": "Seconds to wait for it.",
    "code_review.cerberus.spawn_args": "Arguments for spawning the review, each an entry.",
    "code_review.cerberus.wait_args": "Arguments for waiting, each an entry.",
    "code_review.cerberus.env": "Variables for its environment.",
}


def known_as(path: Sequence[str]) -> str:
    """The key of `WORDS` for a path into the config: names of the user's choice and places of lists are `*`, what triggers share is one."""
    head, rest = path[0], tuple(path[1:])
    if head == "validation_triggers" and len(rest) > 1:
        head, rest = (f"{head}.{ANY}", rest[1:]) if rest[1] != "code_review" or len(rest) == 2 else ("code_review", rest[2:])
    elif head == "per_issue_review" and rest:
        head = "code_review"
    elif head in ("reviewers", "linters") and rest:
        rest = (ANY, *rest[1:])
    return ".".join((head, *rest))


def described(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema of the config with these words as descriptions."""
    definitions = {name: dict(body) for name, body in schema.get("$defs", {}).items()}
    top = {**schema, "properties": _properties(schema["properties"], (), definitions)}
    return {**top, "$defs": definitions}


def _properties(properties: Mapping[str, Any], path: tuple[str, ...], definitions: dict[str, dict[str, Any]]) -> dict[str, Any]:
    done = {}
    for name, body in properties.items():
        here = (*path, name)
        done[name] = {**body, "description": WORDS[known_as(here)]}
        named, below = _definition(body)
        if named:
            definitions[named]["properties"] = _properties(definitions[named]["properties"], (*here, *below), definitions)
    return done


def _definition(body: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The definition that a property, or each value under it, refers to, and the names between them."""
    for part in (body, *body.get("anyOf", ())):
        for values, below in ((part, ()), (part.get("additionalProperties"), (ANY,)), (part.get("items"), (ANY,))):
            if isinstance(values, Mapping) and "$ref" in values:
                return str(values["$ref"]).rpartition("/")[2], below
    return "", ()
