"""A template's review from the command line: inputs, reviewer, answer, result."""

import math
import os
import re
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.answer import NotJson, read_prose
from ..ensemble.client import open_model_client
from ..ensemble.models import ModelReviewer, check_models, declared_reviewers, model_reviewers
from ..ensemble.project_rules import GUIDANCE_FILES, collect_guidance
from ..model.config import Config, ReviewerConfig
from ..model.errors import NoReviewers, UsageError
from ..reviewers._context import ModelContext
from ..reviewers.agents.agent_sdk import is_sdk_installed
from ..system.environment import Environment
from ..trust.may_run import require_approved
from .agent import SDK_REVIEWER, SdkAgent, configure_sdk_agent, result_of_response, review_by_agent
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


class TemplateReviewOptions(Struct, frozen=True):
    """What the command line asks for: the template, its inputs, and the reviewer ("": any available
    one)."""

    template: ReviewTemplate
    inputs: Mapping[str, str]
    reviewer: str = ""
    trusted: bool = False
    policy: str = ""


class TemplateRun(Struct, frozen=True):
    """One review by a template: its inputs, complete, and the side whose files and config count."""

    template: ReviewTemplate
    inputs: TemplateInputs
    side: TrustedSide
    config: Config
    environment: Environment

    @property
    def tree(self) -> Path | None:
        """The user's work tree."""
        return self.side.git.tree if self.side.git else None


def run_template_review(
    wanted: TemplateReviewOptions, environment: Environment
) -> tuple[ReviewResult, TrustedSide]:
    """The result, and the repository that it is about.

    Raises:
        GateError: an input or the config is wrong, no reviewer is available, or the time was over.
    """
    place = working_folder(wanted.template.completed(wanted.inputs), environment)
    here = Environment(environment.variables, place if place.is_dir() else environment.cwd)
    side = find_trusted_side(here, wanted.trusted)
    given = check_inputs(wanted.template, wanted.inputs, side, environment)
    config = config_of_side(side, environment, wanted.policy)
    found = _chosen(wanted.reviewer, config, side, environment)
    run = TemplateRun(wanted.template, given, side, config, environment)
    result = _by_agent(found, run) if isinstance(found, SdkAgent) else _by_model(found, run)
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
    agents = _sdk_agents(name, known, config, environment)
    ready = next(
        (agent for agent in agents if not agent.error), agents[0] if name and agents else None
    )
    if ready is not None:
        return ready
    others = {key: entry for key, entry in known.items() if entry.type != SDK_REVIEWER}
    models = check_models(others, _model_context(config, side, environment)).values()
    able = [each for each in models if not each.availability.error or each.config.fallback]
    if not able:
        why = [f"{agent.name}: {agent.error}" for agent in agents] + [
            f"{each.name}: {each.availability.error}" for each in models
        ]
        said = "; ".join(why) or "claude-agent-sdk is not installed and no model is configured"
        raise NoReviewers(f"no reviewer can review by a template ({said})", _SEE if name else _NONE)
    return able[0]


def _sdk_agents(
    name: str, known: Mapping[str, ReviewerConfig], config: Config, environment: Environment
) -> list[SdkAgent]:
    """Those that are declared, else the SDK as it is installed, where nobody is named."""
    agents = {key: entry for key, entry in known.items() if entry.type == SDK_REVIEWER}
    if not name and not agents and is_sdk_installed():
        agents = {SDK_REVIEWER: ReviewerConfig(type=SDK_REVIEWER, timeout=config.ensemble.deadline)}
    return [configure_sdk_agent(key, entry, environment) for key, entry in agents.items()]


def _model_context(config: Config, side: TrustedSide, environment: Environment) -> ModelContext:
    tree = side.git.tree if side.git else None
    denied = bool(config.policy.denied_paths)
    return ModelContext(
        environment, config.ensemble.deadline, side.all_approved, tree, has_denied_files=denied
    )


def _by_agent(agent: SdkAgent, run: TemplateRun) -> ReviewResult:
    """Where the policy keeps files from models the agent opens none: it is given what may be
    sent."""
    denied, approved = run.config.policy.denied_paths, run.side.all_approved
    papers = documents_part(read_documents(run.inputs, run.side, run.config)) if denied else ""
    reads = approved and not papers and "project" in (run.template.setting_sources or ())
    files = run.side.read([name for name in GUIDANCE_FILES if not (reads and name == _ITS_OWN)])
    rules = rules_part(collect_guidance(files, denied)[0])
    roots = (run.tree or run.inputs.cwd, *(path.parent for path in run.inputs.documents.values()))
    told = replace(agent, use_user_settings=approved, rules=rules, documents=papers, roots=roots)
    context = _model_context(run.config, run.side, run.environment)
    client = open_model_client({}, context, math.inf, run.config)
    with client.progress:
        return review_by_agent(client, run.template, run.inputs.inputs, told)


def _by_model(model: ModelReviewer, run: TemplateRun) -> ReviewResult:
    template, config, context = (
        run.template,
        run.config,
        _model_context(run.config, run.side, run.environment),
    )
    rules = collect_guidance(run.side.read(GUIDANCE_FILES), config.policy.denied_paths)[0]
    papers = read_documents(run.inputs, run.side, config)
    others = {key: entry for key, entry in config.reviewers.items() if key == model.config.fallback}
    deadline = run.environment.clock() + config.ensemble.deadline
    client = open_model_client(check_models(others, context), context, deadline, config)
    question = template.build_prompt(run.inputs.inputs)
    prompt = template_prompt(template.system_prompt, rules, papers, question, client.nonce)
    with client.progress:
        heard = client.ask(
            model, template.name, prompt, partial(read_template_answer, nonce=client.nonce)
        )
    return result_of_response(template, run.inputs.inputs, heard)


def _marked(result: ReviewResult, inputs: TemplateInputs, side: TrustedSide) -> ReviewResult:
    """Findings that name a file or a line which is not there say so."""
    places = [
        inputs.cwd,
        *([side.git.tree] if side.git and side.git.tree else []),
        *(path.parent for path in inputs.documents.values()),
    ]
    return replace(
        result,
        findings=tuple(
            _checked_place(finding, places) if finding.file_ref else finding
            for finding in result.findings
        ),
    )


_LARGEST = 50_000_000  # bytes of a file whose lines are counted


def _checked_place(finding: ReviewFinding, places: list[Path]) -> ReviewFinding:
    path, _, line = (finding.file_ref or "").rpartition(":")
    named = [place / (path or line) for place in places]
    file = next((each for each in named if os.path.exists(each)), None)
    last = re.fullmatch(r"(?:\d+-)?(\d{1,9})", line)
    if file is None or not (path and last):
        return replace(finding, missing=file is None)
    return replace(finding, beyond_end=int(last[1]) > _count_lines(file))


def _count_lines(file: Path) -> int:
    """The lines of a file; no end where it is none, or too large to read for this."""
    try:
        if file.is_file() and file.stat().st_size <= _LARGEST:
            with file.open("rb") as rows:
                return sum(1 for _row in rows)
    except OSError:
        pass
    return sys.maxsize
