"""Set up the language models of a run: who is available, which lenses apply, and how they are asked."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.asked import Reply, Standing
from ..model.change import Change
from ..model.config import Config, Reviewer
from ..model.review import Review, Status
from ..model.usage import Asked
from ..steps.exclude import kept_back
from ..system.answers import Answers, kept_answers, question_digest
from ..system.git import Git
from ..system.kit import Seat
from ..system.together import Later, once
from ..system.world import World
from .changes import Loading
from .desk import Desk
from .ensemble import Ensemble
from .lenses import Chosen, choose, load_lenses
from .material import gather
from .own_checks import OwnChecks, own_checks
from .progress import Progress
from .seats import Panelist, seat_all
from .settings import Settings
from .spending import Spending
from .warmup import Warmup

if TYPE_CHECKING:
    from .order import Order
    from .since import Asked as SinceAsked
    from .since import Since

_CHECKS = ("own-checks", question_digest("own-checks"))


def convene(
    wanted: Mapping[str, Reviewer],
    order: "Order",
    loading: Loading,
    settings: Settings,
    left_out: Collection[str],
    end: float,
    git: Git,
    world: World,
) -> Ensemble:
    """The ensemble of these models for this change; `end` is the clock's time at which the run is over.

    Raises:
        ConfigError: a lens or a plug-in's options are wrong.
    """
    config, listed = settings.config, loading.listed
    since = order.since if config.ensemble.incremental else None
    paths = tuple(file.path for file in listed.files if file.path not in left_out)
    hidden = kept_back(listed.files, config.policy.denied_paths)
    material = Later(lambda: gather(loading.whole(), left_out, config, git, _earlier(since, settings, wanted), world.context()))
    seat = Seat(world, end - world.clock(), listed.trusted, git.tree, private=bool(config.policy.denied_paths))
    panel = _recorded_seats(order, seat_all(_with_fallbacks(wanted, config), seat))
    lenses = choose(load_lenses(config, listed, git), tuple(path for path in paths if path not in hidden))
    seated = tuple(panel[name] for name in wanted if _answers(panel[name], panel))
    spending = Spending(config.ensemble.budget)
    desk = Desk(
        world.nonce(), seat, end, spending, panel, Progress(world), _kept(order, config, git, world),
        Answers(order.recall.record) if order.recall.record else None, Answers(order.recall.replay) if order.recall.replay else None,
        Warmup(spending) if config.ensemble.cache_warmup else None,
    )  # fmt: skip
    checks = _checks(lenses, order, listed, config, end, git, world)
    notices = tuple(f"the lens {each.id} was skipped: {checks.why}" for each in lenses if each.lens.runs_commands and checks.why)
    lenses = tuple(each for each in lenses if not (each.lens.runs_commands and checks.why))
    absent = _absent(wanted, panel, seated)
    return Ensemble(desk, config, seated, absent, lenses, material.result, order.effort, once(checks.run or str), notices)


def _earlier(since: "SinceAsked | None", settings: Settings, wanted: Collection[str]) -> "Since | None":
    """The last review, where all of these models had a part in it: one that had none has not read what came before."""
    found = since(settings.digest) if since else None
    return found if found and found.models.issuperset(wanted) else None


def _checks(lenses: Collection[Chosen], order: "Order", change: Change, config: Config, end: float, git: Git, world: World) -> OwnChecks:
    """The project's own checks, where a lens wants them; what they say, or why they are left out, belongs to a recording as answers do.

    Without either the lens is asked with no output, and no recorded answer is one to that.
    """
    if not any(each.lens.runs_commands for each in lenses):
        return OwnChecks(None)
    if order.recall.replay:
        said = Answers(order.recall.replay).get(*_CHECKS) or Reply(Status.SKIPPED)
        return OwnChecks(lambda: said.text) if said.status is Status.OK else OwnChecks(None, said.error)
    found, folder = own_checks(change, config, end, git, world), order.recall.record
    if folder is None:
        return found
    if found.run is None:
        Answers(folder).put(*_CHECKS, Reply(Status.SKIPPED, error=found.why))
        return found
    return OwnChecks(partial(_recorded, found.run, folder))


def _recorded(run: Callable[[], str], folder: Path) -> str:
    output = run()
    Answers(folder).put(*_CHECKS, Reply(Status.OK, output))
    return output


def _with_fallbacks(wanted: Mapping[str, Reviewer], config: Config) -> dict[str, Reviewer]:
    names = (entry.fallback for entry in wanted.values() if entry.fallback)
    return {**{name: config.reviewers[name] for name in names}, **wanted}


def _recorded_seats(order: "Order", panel: Mapping[str, Panelist]) -> Mapping[str, Panelist]:
    """Who could be asked belongs to a recording: a replay needs none of the programs and keys."""
    if order.recall.replay:
        seats = Answers(order.recall.replay)
        return {name: replace(each, standing=Standing(_absence(seats, name))) for name, each in panel.items()}
    if order.recall.record:
        for name, each in panel.items():
            status = Status.UNAVAILABLE if each.standing.error else Status.OK  # both: the folder may hold an older recording
            Answers(order.recall.record).put(f"{name}/seat", question_digest(name), Reply(status, error=each.standing.error))
    return panel


def _absence(seats: Answers, name: str) -> str:
    recorded = seats.get(f"{name}/seat", question_digest(name))
    return recorded.error if recorded else ""


def _answers(panelist: Panelist, panel: Mapping[str, Panelist]) -> bool:
    """It can be asked, or its fallback can."""
    other = panel.get(panelist.entry.fallback or "")
    return not panelist.standing.error or (other is not None and not other.standing.error)


def _absent(wanted: Mapping[str, Reviewer], panel: Mapping[str, Panelist], seated: Collection[Panelist]) -> tuple[Review, ...]:
    return tuple(
        Review(name, status=Status.UNAVAILABLE, error=panel[name].standing.error, required=entry.required, asked=Asked())
        for name, entry in wanted.items()
        if panel[name] not in seated
    )


def _kept(order: "Order", config: Config, git: Git, world: World) -> Answers | None:
    """The answers of earlier runs: on a person's machine only, where nobody else can have written them."""
    if world.in_ci or not config.ensemble.cache or order.recall.fresh or order.recall.replay:
        return None
    return kept_answers(git.common)
