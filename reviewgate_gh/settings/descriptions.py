"""What each key of the config means, in one line: for the schema, and for the file that `init`
writes."""

from collections.abc import Mapping, Sequence
from typing import Any

ANY_KEY = "*"  # stands for a name that the user chooses

DESCRIPTIONS: Mapping[str, str] = {
    "version": "The version of this file's format.",
    "required_version": (
        'The reviewgate-gh versions that may use this file, for example ">=0.1,<1"; null: any.'
    ),
    "mode": (
        "block: a verdict of block fails the run. warn: it is only reported, and the exit code "
        "is 0; inconclusive still fails."
    ),
    "reviewers": (
        "Reviewers beside linters and built-in checks: a name of your choice and the plug-in that "
        "it uses. `linters: off` and `builtin: off` leave these out."
    ),
    "reviewers.*.type": "The plug-in.",
    "reviewers.*.where": (
        "The entry points it runs at: cli, hook, pr, fork; null: all; for a model, cli and pr; "
        "for an external gate, cli."
    ),
    "reviewers.*.required": (
        "true: without it, the verdict is inconclusive. If it runs and fails, the verdict "
        "always is."
    ),
    "reviewers.*.fallback": "The reviewer to use instead when this one cannot answer.",
    "reviewers.*.timeout": "Its time limit in seconds.",
    "reviewers.*.options": "The plug-in's own options.",
    "ensemble": "How the reviewers run.",
    "ensemble.lenses": (
        "What language models look for, one request each: built-in lenses, or files in "
        ".reviewgate-gh/lenses/."
    ),
    "ensemble.assign": (
        "spread: each lens goes to one model, in turn; cross: every lens goes to every model."
    ),
    "ensemble.verify": (
        "true: one more request asks a model to confirm or refute what models found."
    ),
    "ensemble.reverse_audit": (
        "The reverse audit: another look at the whole change for missed findings."
    ),
    "ensemble.reverse_audit.max_rounds": "The maximum number of rounds; 0: none.",
    "ensemble.reverse_audit.stop_after_dry": "The number of rounds without findings that ends it.",
    "ensemble.incremental": (
        "true: on a pull request, models read what is new since the last review; open findings "
        "stay in the verdict."
    ),
    "ensemble.budget": (
        "What a run may spend on language models. Requests over the limit are not sent, and "
        "the verdict says so."
    ),
    "ensemble.budget.calls": "The maximum number of requests; null: no limit.",
    "ensemble.budget.input_tokens": "The maximum number of tokens to send; null: no limit.",
    "ensemble.budget.cost_usd": (
        "The maximum cost in US dollars; a model whose price is unknown is not used. null: no "
        "limit."
    ),
    "ensemble.cache": (
        "true: in a local run, an unchanged request reuses its last answer; never in CI."
    ),
    "ensemble.cache_warmup": (
        "The first request is sent alone, so that the others can use the vendor's prompt cache. "
        "null: where three or more requests to a model share a large prefix, and its server is "
        "known to cache."
    ),
    "ensemble.context_tokens": (
        "The most tokens of a change in one request; a larger change is read in batches. A file "
        "that is larger is not reviewed, and the verdict says so."
    ),
    "ensemble.context.tools": (
        "true: models may look up files of the reviewed tree while they answer: at most 12 calls "
        "and 200 kB a question."
    ),
    "ensemble.context": "What models are shown beside the change.",
    "ensemble.context.tokens": "The most tokens of it in one request; 0: none.",
    "ensemble.context.wait": (
        "The most seconds that requests wait for what linters, built-in checks and CI report, to "
        "tell models; 0: they are told nothing of it."
    ),
    "ensemble.max_parallel": "How many run at the same time.",
    "ensemble.deadline": "The time limit of the whole run in seconds.",
    "secrets": "What else counts as a secret, and what does not.",
    "secrets.patterns": "Kinds of secrets of your own.",
    "secrets.patterns.*.id": "Its name in the rule builtin/secret-ID.",
    "secrets.patterns.*.pattern": (
        "A regular expression, tried line by line; a group named value is the secret."
    ),
    "secrets.patterns.*.keywords": "Words of which the line must hold one, in any case.",
    "secrets.patterns.*.entropy": "The fewest bits per character of the secret; 0: any.",
    "secrets.allow": "SHA-256 digests of values that are not secrets.",
    "secrets.baseline": "A JSON report of gitleaks whose findings are accepted; null: none.",
    "policy": "How findings lead to a verdict.",
    "policy.finding_threshold": (
        "Open findings of this priority or higher block: P0, P1, P2, P3; none: nothing blocks."
    ),
    "policy.exclude": (
        "Files that linters and models do not read, as gitignore patterns. Your own list "
        "replaces the default one."
    ),
    "policy.denied_paths": "Files that are never sent to a language model, as gitignore patterns.",
    "policy.max_file_bytes": (
        "Files larger than this, in bytes, are not reviewed. JSON is read up to 5,000,000 bytes."
    ),
    "policy.require_ci": (
        "true: nothing is approved unless a CI check other than our own has passed."
    ),
    "policy.coverage": (
        "What happens to code that no linter or model for its language read; a single word "
        "sets the key unread."
    ),
    "policy.coverage.unread": "report: the verdict is at least concerns; require: inconclusive.",
    "policy.coverage.allow": (
        "Languages for which that is acceptable, by the names that reports show."
    ),
    "publish": "What is posted on a pull request.",
    "publish.approve": "true: a pass approves, unless something forbids it; false: it comments.",
    "publish.request_changes": (
        "true: a block requests changes, and a later verdict without a block dismisses that "
        "request; false: it comments."
    ),
    "publish.max_inline": (
        "How many findings get an inline comment; the others are listed in the review's text."
    ),
    "publish.inline_from": "The lowest priority that is posted: P0, P1 or P2; P3 is never posted.",
    "publish.check_run": "true: the verdict is also posted as a check run.",
    "publish.author_dismisses": (
        "true: the author of a pull request, and whoever made its newest commit, may dismiss "
        "findings; false: somebody else has to."
    ),
    "publish.resolve": "true: threads of fixed findings are resolved, not only minimised.",
    "hook": "The pre-push hook.",
    "hook.deadline": "The time limit of a whole push in seconds.",
    "hook.reviewers": "The names of the reviewers to run; null: those whose `where` contains hook.",
    "tracker": (
        "Where findings become issues: with publish, in the Action and with findings sync; a "
        "manual review creates none."
    ),
    "tracker.type": (
        "The tracker that keeps the issues, such as local: a file in this clone; none: no issues."
    ),
    "tracker.issues_from": "The lowest priority that becomes an issue: P0, P1, P2 or P3.",
    "tracker.max_new": "How many new issues a run creates; the others wait for the next run.",
    "tracker.close_fixed": (
        "true: an issue is closed when a review of the same commits no longer reports its finding."
    ),
    "tracker.options": "The plug-in's own options.",
    "rules": (
        "What rules weigh, by their names or globs of these (ruff/S*): P0, P1, P2, P3 or off. The "
        "last entry that fits counts."
    ),
    "rules.*.priority": "P0, P1, P2, P3 or off; the value itself is short for this.",
    "rules.*.paths": "Where, as gitignore patterns; empty: everywhere.",
    "rules.*.at_least": "true: it raises what weighs less, and lowers nothing.",
    "linters": "Settings of a linter, by name.",
    "linters.*.enabled": "null: it runs if it is one of the defaults or the project configures it.",
    "linters.*.args": "Arguments to add to its command line.",
    "linters.*.timeout": "Its time limit in seconds.",
    "commands": (
        "Commands that triggers use by name, each as a list: the program and its arguments. "
        "Others are detected in the project."
    ),
    "remediation": (
        "What fixes the findings of a trigger, as a program and its arguments; it gets them on "
        "standard input and in a file."
    ),
    "remediation.resume": "At the end of a session: it continues that session.",
    "remediation.fixer": "At the end of an epic or a run: it starts its own session.",
    "remediation.timeout": "The time limit of each in seconds.",
    "validation_triggers": (
        "What runs at the end of a session, an epic or a run; see reviewgate-gh orchestrate."
    ),
    "validation_triggers.session_end": (
        "When a session about one issue has succeeded: its commits are reviewed."
    ),
    "validation_triggers.epic_completion": "When all issues of an epic are closed.",
    "validation_triggers.run_end": "When a run has worked through its issues.",
    "validation_triggers.periodic": "After a number of issues; your own orchestrator fires it.",
    "validation_triggers.*.commands": "What to run before the review, by name.",
    "validation_triggers.*.commands.*.ref": "The command's name.",
    "validation_triggers.*.commands.*.timeout": "The command's time limit in seconds.",
    "validation_triggers.*.failure_mode": (
        "If a command fails: abort ends the run, continue proceeds, remediate calls the fixer."
    ),
    "validation_triggers.*.max_retries": (
        "How many times the fixer is called for failed commands; null: 3."
    ),
    "validation_triggers.*.code_review": "The review; null: none.",
    "validation_triggers.*.epic_depth": "top_level: not for epics within epics; all.",
    "validation_triggers.*.fire_on": "success: if no issue failed; failure: if one did; both.",
    "validation_triggers.*.interval": "After how many issues.",
    "per_issue_review": (
        "The review at the end of a session if session_end does not configure one; same keys "
        "as code_review."
    ),
    "reviewer_type": (
        "Deprecated: a review at the end of every session by cerberus, agent_sdk or ensemble."
    ),
    "epic_verification": "How an epic is verified; the trigger epic_completion defines when.",
    "epic_verification.enabled": "true: epics are verified.",
    "epic_verification.reviewer_type": (
        "agent_sdk; cerberus: an external review gate; ensemble: all configured language models."
    ),
    "epic_verification.timeout": "The time limit of an attempt in seconds.",
    "epic_verification.max_retries": "How many times it is tried again if there was no verdict.",
    "epic_verification.failure_mode": (
        "If not met or no verdict: abort ends the run, continue proceeds, remediate creates an "
        "issue."
    ),
    "epic_verification.cerberus": "Settings of the external gate; null: none.",
    "epic_verification.cerberus.timeout": (
        "Seconds to wait for the gate; null: same as epic_verification.timeout."
    ),
    "epic_verification.cerberus.spawn_args": (
        "Arguments for starting the verification, one per entry."
    ),
    "epic_verification.cerberus.wait_args": "Arguments for waiting, one per entry.",
    "epic_verification.cerberus.env": "Variables for its environment.",
    "code_review.enabled": "true: the review runs.",
    "code_review.reviewer_type": (
        "cerberus: an external review gate; agent_sdk; ensemble: all configured reviewers."
    ),
    "code_review.failure_mode": (
        "If a reviewer has no result: abort ends the run, continue proceeds, remediate retries "
        "first."
    ),
    "code_review.max_retries": (
        "How many times a reviewer is retried, and the fixer called, each time the trigger fires."
    ),
    "code_review.finding_threshold": (
        "Open findings of this priority or higher must be fixed; none: nothing must be."
    ),
    "code_review.baseline": (
        "since_run_start or since_last_review; not for session_end, which reviews the issue's "
        "own commits."
    ),
    "code_review.cerberus": "Settings of the external gate.",
    "code_review.cerberus.timeout": "Seconds to wait for it.",
    "code_review.cerberus.spawn_args": "Arguments for starting the review, one per entry.",
    "code_review.cerberus.wait_args": "Arguments for waiting, one per entry.",
    "code_review.cerberus.env": "Variables for its environment.",
}


def description_key(path: Sequence[str]) -> str:
    """The key of `WORDS` for a path into the config: names of the user's choice and places of lists
    are `*`, what triggers share is one."""
    head, rest = path[0], tuple(path[1:])
    if head == "validation_triggers" and len(rest) > 1:
        head, rest = (
            (f"{head}.{ANY_KEY}", rest[1:])
            if rest[1] != "code_review" or len(rest) == 2
            else ("code_review", rest[2:])
        )
    elif head == "per_issue_review" and rest:
        head = "code_review"
    elif head in ("reviewers", "linters") and rest:
        rest = (ANY_KEY, *rest[1:])
    return ".".join((head, *rest))


def add_descriptions(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema of the config with these words as descriptions."""
    definitions = {name: dict(body) for name, body in schema.get("$defs", {}).items()}
    top = {**schema, "properties": _properties(schema["properties"], (), definitions)}
    return {**top, "$defs": definitions}


def _properties(
    properties: Mapping[str, Any], path: tuple[str, ...], definitions: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    done = {}
    for name, body in properties.items():
        here = (*path, name)
        done[name] = {**body, "description": DESCRIPTIONS[description_key(here)]}
        named, below = _definition(body)
        if named:
            definitions[named]["properties"] = _properties(
                definitions[named]["properties"], (*here, *below), definitions
            )
    return done


def _definition(body: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    """The definition that a property, or each value under it, refers to, and the names between
    them."""
    for part in (body, *body.get("anyOf", ())):
        for values, below in (
            (part, ()),
            (part.get("additionalProperties"), (ANY_KEY,)),
            (part.get("items"), (ANY_KEY,)),
        ):
            forms = (values, *values.get("anyOf", ())) if isinstance(values, Mapping) else ()
            for form in forms:
                if "$ref" in form:
                    return str(form["$ref"]).rpartition("/")[2], below
    return "", ()
