"""A template's review from the command line: inputs, reviewer, answer, result."""

import asyncio
import os.path
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..model.config import Config, Reviewer
from ..model.errors import NoReviewers, UsageError
from ..model.values import dataclass
from ..steps.guidance import FILES, guidance
from ..steps.template_prompt import rules_part, template_prompt, without_tools
from ..system.kit import Seat
from ..system.world import World
from ..templates.result import ReviewFinding, ReviewResult
from ..templates.schema import ReviewTemplate
from .approval import require_approved
from .desk import Desk
from .progress import Progress
from .seats import Panelist, declared, models, seat_all
from .spending import Spending
from .template_agent import Agent, concluded, run_review
from .template_answer import read_markdown
from .template_hire import SDK, at_home, hire, is_installed
from .template_inputs import Given, check_inputs, folder_of, read_papers
from .template_side import Side, config_of, is_approved, take_side

_ITS_OWN = "CLAUDE.md"  # which the agent SDK reads itself where it reads the project's settings
_SEE = "to see what is missing: reviewgate-gh doctor"
_NONE = "pip install 'reviewgate-gh[agent-sdk]', or configure a language model under `reviewers` in .reviewgate-gh.yaml"


@dataclass(frozen=True, slots=True)
class Commission:
    """What the command line asks for: the template, its inputs, and the reviewer ("": any available one)."""

    template: ReviewTemplate
    inputs: Mapping[str, str]
    reviewer: str = ""
    trusted: bool = False
    policy: str = ""


def review_by_template(wanted: Commission, world: World) -> tuple[ReviewResult, Side]:
    """The result, and the repository that it is about.

    Raises:
        GateError: an input or the config is wrong, no reviewer is available, or the time was over.
    """
    place = folder_of(wanted.template.completed(wanted.inputs), world)
    side = take_side(World(world.env, place if place.is_dir() else world.cwd), wanted.trusted)
    given = check_inputs(wanted.template, wanted.inputs, side, world)
    config = config_of(side, world, wanted.policy)
    found = _chosen(wanted.reviewer, config, side, world)
    if isinstance(found, Agent):
        result = _by_agent(found, wanted.template, given, side, config, world)
    else:
        result = _by_model(found, wanted.template, given, side, config, world)
    return _marked(result, given, side), side


def _chosen(name: str, config: Config, side: Side, world: World) -> Agent | Panelist:
    """The reviewer that is named; else the agent SDK where it is there, else the first declared model that can be asked."""
    known = models(declared(config, "cli", (name,) if name else ()))
    if name and name not in known:
        raise UsageError(f"{name} is not a language model, so it cannot review by a template", "name another reviewer from the config")
    if known:
        require_approved(is_approved(side, world), f"{', '.join(known)} cannot be asked")
    agents = {key: entry for key, entry in known.items() if entry.type == SDK}
    if not name and not agents and is_installed():
        agents = {SDK: Reviewer(type=SDK, timeout=config.ensemble.deadline)}
    found = [hire(key, entry, world) for key, entry in agents.items()]
    if hired := next((agent for agent in found if not agent.error), found[0] if name and found else None):
        return hired
    panel = seat_all({key: entry for key, entry in known.items() if entry.type != SDK}, _seat(config, side, world))
    able = [each for each in panel.values() if not each.standing.error or each.entry.fallback]
    if not able:
        why = [f"{agent.name}: {agent.error}" for agent in found] + [f"{each.name}: {each.standing.error}" for each in panel.values()]
        said = "; ".join(why) or "claude-agent-sdk is not installed and no model is configured"
        raise NoReviewers(f"no reviewer can review by a template ({said})", _SEE if name else _NONE)
    return able[0]


def _seat(config: Config, side: Side, world: World) -> Seat:
    tree = side.git.tree if side.git else None
    return Seat(world, config.ensemble.deadline, side.own, tree, private=bool(config.policy.denied_paths))


def _by_agent(agent: Agent, template: ReviewTemplate, given: Given, side: Side, config: Config, world: World) -> ReviewResult:
    """Where the policy keeps files from models the agent opens none: it is given what may be sent."""
    tree = side.git.tree if side.git else None
    papers = without_tools(read_papers(given, side, config)) if config.policy.denied_paths else ""
    reads = side.own and not papers and "project" in (template.setting_sources or ())
    files = side.read([name for name in FILES if not (reads and name == _ITS_OWN)])
    rules = guidance(files, config.policy.denied_paths)[0]
    roots = (tree or given.cwd, *(path.parent for path in given.papers.values()))
    account = Spending(config.ensemble.budget)
    told = replace(agent, own=side.own, rules=rules_part(rules), documents=papers, roots=roots, spending=account)
    progress = Progress(world)
    with at_home(told, tree, world) as agent_here, progress:
        progress.began(f"{agent.name}/{template.name}")
        return asyncio.run(run_review(template, given.inputs, agent_here))


def _by_model(panelist: Panelist, template: ReviewTemplate, given: Given, side: Side, config: Config, world: World) -> ReviewResult:
    nonce, seat = world.nonce(), _seat(config, side, world)
    rules = guidance(side.read(FILES), config.policy.denied_paths)[0]
    papers = read_papers(given, side, config)
    prompt = template_prompt(template.system_prompt, rules, papers, template.build_prompt(given.inputs), nonce)
    others = {key: entry for key, entry in config.reviewers.items() if key == panelist.entry.fallback}
    end = world.clock() + config.ensemble.deadline
    desk = Desk(nonce, seat, end, Spending(config.ensemble.budget), seat_all(others, seat), Progress(world))
    with desk.progress:
        heard = desk.put(panelist, template.name, prompt, partial(read_markdown, nonce=nonce))
    reply = replace(heard.reply, text=heard.answer if heard.answer is not None else heard.reply.text)
    return concluded(template, given.inputs, reply, heard.panelist.name)


def _marked(result: ReviewResult, given: Given, side: Side) -> ReviewResult:
    """Findings that name a file which is not there say so."""
    places = [given.cwd, *([side.git.tree] if side.git and side.git.tree else []), *(path.parent for path in given.papers.values())]
    return replace(result, findings=tuple(replace(finding, missing=_missing(finding, places)) for finding in result.findings))


def _missing(finding: ReviewFinding, places: list[Path]) -> bool:
    if not finding.file_ref:
        return False
    path = finding.file_ref.rpartition(":")[0] or finding.file_ref
    return not any(os.path.exists(place / path) for place in places)
