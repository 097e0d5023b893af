"""A template's review from the command line: inputs, reviewer, answer, result."""

import asyncio
import os.path
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..ensemble.answer import NotJson, read_prose
from ..ensemble.budget import BudgetAccount
from ..ensemble.client import ModelClient
from ..ensemble.context import GUIDANCE_FILES, collect_guidance
from ..ensemble.models import ModelReviewer, check_models, declared_reviewers, model_reviewers
from ..ensemble.progress import Progress
from ..model.config import Config, ReviewerConfig
from ..model.errors import NoReviewers, UsageError
from ..model.values import dataclass
from ..reviewers._context import ModelContext
from ..system.environment import Environment
from ..trust.may_run import require_approved
from .agent import (
    SDK_REVIEWER,
    SdkAgent,
    configure_sdk_agent,
    is_sdk_installed,
    result_of_reply,
    run_review,
    with_temporary_home,
)
from .inputs import (
    TemplateInputs,
    check_inputs,
    documents_part,
    read_documents,
    rules_part,
    template_prompt,
    working_folder,
)
from .parser import parse_review_output
from .result import ReviewFinding, ReviewResult, Severity, Verdict
from .template import ReviewTemplate
from .trusted_side import TrustedSide, config_of_side, find_trusted_side, is_config_approved

_OTHER_FORM = "the answer is not one JSON object, as the question asks for"


def read_template_answer(text: str, nonce: str) -> str:
    """The Markdown of a review. Without the object it can report problems but not pass, which takes
    this run's nonce.

    Raises:
        ValueError: it holds none, or that of another run; the message gives one reason.
    """
    try:
        return read_prose(text, nonce)
    except NotJson:
        if _finds_fault(text):
            return text
        raise ValueError(_OTHER_FORM) from None


def _finds_fault(text: str) -> bool:
    result = parse_review_output(text, "", {})
    return result.verdict in (Verdict.CONCERNS, Verdict.FAIL) or any(
        found.severity is not Severity.PASS for found in result.findings
    )


_ITS_OWN = "CLAUDE.md"  # which the agent SDK reads itself where it reads the project's settings
_SEE = "to see what is missing: reviewgate-gh doctor"
_NONE = (
    "pip install 'reviewgate-gh[agent-sdk]', or configure a language model under `reviewers` "
    "in .reviewgate-gh.yaml"
)


@dataclass(frozen=True, slots=True)
class TemplateReviewOptions:
    """What the command line asks for: the template, its inputs, and the reviewer ("": any available
    one)."""

    template: ReviewTemplate
    inputs: Mapping[str, str]
    reviewer: str = ""
    trusted: bool = False
    policy: str = ""


def run_template_review(
    wanted: TemplateReviewOptions, environment: Environment
) -> tuple[ReviewResult, TrustedSide]:
    """The result, and the repository that it is about.

    Raises:
        GateError: an input or the config is wrong, no reviewer is available, or the time was over.
    """
    place = working_folder(wanted.template.completed(wanted.inputs), environment)
    side = find_trusted_side(
        Environment(environment.variables, place if place.is_dir() else environment.cwd),
        wanted.trusted,
    )
    given = check_inputs(wanted.template, wanted.inputs, side, environment)
    config = config_of_side(side, environment, wanted.policy)
    found = _chosen(wanted.reviewer, config, side, environment)
    if isinstance(found, SdkAgent):
        result = _by_agent(found, wanted.template, given, side, config, environment)
    else:
        result = _by_model(found, wanted.template, given, side, config, environment)
    return _marked(result, given, side), side


def _chosen(
    name: str, config: Config, side: TrustedSide, environment: Environment
) -> SdkAgent | ModelReviewer:
    """The reviewer that is named; else the agent SDK where it is there, else the first declared
    model that can be asked."""
    known = model_reviewers(declared_reviewers(config, "cli", (name,) if name else ()))
    if name and name not in known:
        raise UsageError(
            f"{name} is not a language model, so it cannot review by a template",
            "name another reviewer from the config",
        )
    if known:
        require_approved(
            is_config_approved(side, environment), f"{', '.join(known)} cannot be asked"
        )
    agents = {key: entry for key, entry in known.items() if entry.type == SDK_REVIEWER}
    if not name and not agents and is_sdk_installed():
        agents = {SDK_REVIEWER: ReviewerConfig(type=SDK_REVIEWER, timeout=config.ensemble.deadline)}
    found = [configure_sdk_agent(key, entry, environment) for key, entry in agents.items()]
    if hired := next(
        (agent for agent in found if not agent.error), found[0] if name and found else None
    ):
        return hired
    panel = check_models(
        {key: entry for key, entry in known.items() if entry.type != SDK_REVIEWER},
        _seat(config, side, environment),
    )
    able = [each for each in panel.values() if not each.availability.error or each.config.fallback]
    if not able:
        why = [f"{agent.name}: {agent.error}" for agent in found] + [
            f"{each.name}: {each.availability.error}" for each in panel.values()
        ]
        said = "; ".join(why) or "claude-agent-sdk is not installed and no model is configured"
        raise NoReviewers(f"no reviewer can review by a template ({said})", _SEE if name else _NONE)
    return able[0]


def _seat(config: Config, side: TrustedSide, environment: Environment) -> ModelContext:
    tree = side.git.tree if side.git else None
    return ModelContext(
        environment,
        config.ensemble.deadline,
        side.all_approved,
        tree,
        has_denied_files=bool(config.policy.denied_paths),
    )


def _by_agent(
    agent: SdkAgent,
    template: ReviewTemplate,
    inputs: TemplateInputs,
    side: TrustedSide,
    config: Config,
    environment: Environment,
) -> ReviewResult:
    """Where the policy keeps files from models the agent opens none: it is given what may be
    sent."""
    tree = side.git.tree if side.git else None
    papers = (
        documents_part(read_documents(inputs, side, config)) if config.policy.denied_paths else ""
    )
    reads = side.all_approved and not papers and "project" in (template.setting_sources or ())
    files = side.read([name for name in GUIDANCE_FILES if not (reads and name == _ITS_OWN)])
    rules = collect_guidance(files, config.policy.denied_paths)[0]
    roots = (tree or inputs.cwd, *(path.parent for path in inputs.documents.values()))
    account = BudgetAccount(config.ensemble.budget)
    told = replace(
        agent,
        use_user_settings=side.all_approved,
        rules=rules_part(rules),
        documents=papers,
        roots=roots,
        spending=account,
    )
    progress = Progress(environment)
    with with_temporary_home(told, tree, environment) as agent_here, progress:
        progress.started(f"{agent.name}/{template.name}")
        return asyncio.run(run_review(template, inputs.inputs, agent_here))


def _by_model(
    model: ModelReviewer,
    template: ReviewTemplate,
    inputs: TemplateInputs,
    side: TrustedSide,
    config: Config,
    environment: Environment,
) -> ReviewResult:
    nonce, context = environment.nonce(), _seat(config, side, environment)
    rules = collect_guidance(side.read(GUIDANCE_FILES), config.policy.denied_paths)[0]
    papers = read_documents(inputs, side, config)
    prompt = template_prompt(
        template.system_prompt, rules, papers, template.build_prompt(inputs.inputs), nonce
    )
    others = {key: entry for key, entry in config.reviewers.items() if key == model.config.fallback}
    end = environment.clock() + config.ensemble.deadline
    client = ModelClient(
        nonce,
        context,
        end,
        BudgetAccount(config.ensemble.budget),
        check_models(others, context),
        Progress(environment),
    )
    with client.progress:
        heard = client.ask(model, template.name, prompt, partial(read_template_answer, nonce=nonce))
    reply = replace(
        heard.reply, text=heard.answer if heard.answer is not None else heard.reply.text
    )
    return result_of_reply(template, inputs.inputs, reply, heard.model.name)


def _marked(result: ReviewResult, inputs: TemplateInputs, side: TrustedSide) -> ReviewResult:
    """Findings that name a file which is not there say so."""
    places = [
        inputs.cwd,
        *([side.git.tree] if side.git and side.git.tree else []),
        *(path.parent for path in inputs.documents.values()),
    ]
    return replace(
        result,
        findings=tuple(
            replace(finding, missing=_missing(finding, places)) for finding in result.findings
        ),
    )


def _missing(finding: ReviewFinding, places: list[Path]) -> bool:
    if not finding.file_ref:
        return False
    path = finding.file_ref.rpartition(":")[0] or finding.file_ref
    return not any(os.path.exists(place / path) for place in places)
