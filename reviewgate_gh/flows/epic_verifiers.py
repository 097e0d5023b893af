"""Who can verify an epic: an external gate, the agent SDK, or the declared language models together. None of them tells of events."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from ..model.asked import Prompt
from ..model.change import FileDiff
from ..model.config import Config, Reviewer
from ..model.epic_verification import EpicCerberus, EpicFailure, EpicTask, EpicVerdict
from ..model.errors import UsageError
from ..model.selection import Range, Selection
from ..model.values import dataclass
from ..reporters._words import counted
from ..reviewers._gate import Calling, Gate, SpawnFailed, open_gate
from ..reviewers._gate_find import GateMissing
from ..steps import gate_dialect as words
from ..steps.diff import parse_raw
from ..steps.epic_verdict import SCHEMA, failure_of, from_gate, read_verdict, unanimous
from ..steps.epic_words import epic_markdown, own_part, shared_part
from ..steps.exclude import excluded, kept_back
from ..steps.prompt import tokens
from ..system import process
from ..system.git import Git
from ..system.git.diff import diff_trees
from ..system.git.ranges import find_range, parent, spanning
from ..system.kit import Seat
from ..system.lease import temporary
from ..system.together import together
from ..system.world import World
from ..text.plain import plain_line
from .changes import load_change
from .desk import Desk
from .material import readable
from .progress import Progress
from .seats import Panelist, declared, models, seat_all
from .spending import Spending

_SNIPPET = 200
_OTHERWISE = "or use reviewer_type: agent_sdk."
_DENIED = "the external gate would send models files that policy.denied_paths withholds: use reviewer_type: agent_sdk or ensemble"


class EpicVerifierProtocol(Protocol):
    """Whoever verifies epics."""

    def available(self) -> EpicFailure | None:
        """Why it cannot be used at all; asked before the first attempt.

        Raises:
            ConfigError: its settings are wrong.
        """

    def verify(self, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
        """One attempt."""


@dataclass(frozen=True, slots=True)
class CerberusVerifier:
    """The installed external gate."""

    settings: EpicCerberus
    cwd: Path
    world: World
    config: Config
    git: Git

    def available(self) -> EpicFailure | None:
        """There is a gate, and it verifies epics."""
        try:
            answer = self._gate("check").help(words.SPAWN_EPIC)
        except (GateMissing, process.ToolMissing) as error:
            why = error.message.rstrip(".")
            message = f"Cerberus is required (epic_verification.reviewer_type: cerberus): {why}. Install the Cerberus plugin {_OTHERWISE}"
            return EpicFailure("cerberus_unavailable", message)
        try:
            if answer.code == 0:
                return None
            snippet = plain_line(answer.err[:_SNIPPET], _SNIPPET) or answer.stopped or f"exit {answer.code}"
        finally:
            answer.close()
        update = f"Update plugin to a version with {words.SPAWN_EPIC} {_OTHERWISE}"
        message = f"Cerberus plugin does not support epic verification: {snippet.rstrip('.')}. {update}"
        return EpicFailure("cerberus_unavailable", f"{message} (Cerberus is required by epic_verification.reviewer_type.)")

    def verify(self, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
        """Spawn and wait, under a session id that begins with the epic's."""
        if (denied := self.config.policy.denied_paths) and kept_back(_touched(self.git, task), denied):
            return EpicFailure("config_error", _DENIED)
        try:
            gate = self._gate(task.epic)
            with temporary("epic") as folder:
                file = folder / f"{words.name_part(task.epic)}.md"
                file.write_text(epic_markdown(task), "utf-8", "replace")
                scope = words.Scope(task.commits, task.base, task.head)
                argv = words.epic_words(str(file), scope, gate.help_text(words.SPAWN_EPIC), self.settings.spawn_args)
                return from_gate(gate.ask(argv, seconds))
        except GateMissing as error:
            return EpicFailure("cerberus_unavailable", error.message)
        except SpawnFailed as error:
            return EpicFailure("timeout" if error.message.endswith("stopped: deadline") else "execution_error", error.message)

    def _gate(self, name: str) -> Gate:
        own = self.settings
        calling = Calling(spawn_args=own.spawn_args, wait_args=own.wait_args, env=own.env)
        return open_gate(calling, name, self.cwd, self.world)


@dataclass(frozen=True, slots=True)
class ModelVerifier:
    """Language models: each answers, and together they are unanimous. `span` stands in place of what the task names."""

    wanted: Mapping[str, Reviewer]
    config: Config
    git: Git
    world: World
    trusted: bool
    span: Range | None = None

    def available(self) -> EpicFailure | None:
        """Their settings are right. One that cannot be asked fails as any attempt does."""
        self._seats(60)
        return None

    def verify(self, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
        """One question to each of them at once."""
        if not self.wanted:
            return EpicFailure("execution_error", "no language model is configured: add one under reviewers in the config")
        return unanimous(list(self.each(task, seconds).values()))

    def each(self, task: EpicTask, seconds: float) -> dict[str, EpicVerdict | EpicFailure]:
        """What each of them says, by its name."""
        change, cut = self._change(task)
        if cut:
            names = ", ".join(cut[:3])
            why = f"{counted(len(cut), 'file')} cannot be shown to models in full (ensemble.context_tokens): {names}"
            return dict.fromkeys(self.wanted, EpicFailure("execution_error", why))
        panel, nonce = self._seats(seconds), self.world.nonce()
        end = self.world.clock() + seconds
        desk = Desk(nonce, self._seat(seconds), end, Spending(self.config.ensemble.budget), panel, Progress(self.world))
        prompt = Prompt(shared_part(epic_markdown(task), change), own_part(nonce), SCHEMA)
        with desk.progress:
            said = together(lambda panelist: _put(desk, panelist, prompt, nonce), [*panel.values()], len(panel))
        return dict(zip(panel, said, strict=True))

    def _seats(self, seconds: float) -> dict[str, Panelist]:
        mine = {name: replace(entry, timeout=seconds, fallback=None) for name, entry in self.wanted.items()}
        return seat_all(mine, self._seat(seconds))

    def _seat(self, seconds: float) -> Seat:
        return Seat(self.world, seconds, self.trusted, self.git.tree, private=bool(self.config.policy.denied_paths))

    def _change(self, task: EpicTask) -> tuple[list[str], tuple[str, ...]]:
        """The change as models are shown it, and the files that are not shown whole."""
        change = load_change(self.git, self.span or span_of(self.git, task), self.world, self.trusted)
        left_out = excluded((file.path for file in change.files), self.config.policy.exclude)
        texts, cut = readable(change, left_out, self.config, self.config.ensemble.context_tokens - tokens(task.description))
        return [text.text for text in texts], cut


def span_of(git: Git, task: EpicTask) -> Range:
    """What an epic's commits change: from before the first to the last of them, or the range, or the work tree.

    Raises:
        UsageError: the commits do not follow one another.
    """
    if task.commits:
        return spanning(git, task.commits)
    return Range(task.base, task.head) if task.base else find_range(git, Selection(uncommitted=True))


def _touched(git: Git, task: EpicTask) -> tuple[FileDiff, ...]:
    """The files of an epic's commits, of each alone: one may add what a later one takes out."""
    spans = [Range(parent(git, oid), oid) for oid in task.commits] or [span_of(git, task)]
    return tuple(file for span in spans for file in parse_raw(diff_trees(git, span.base, span.head, patch=False))[0])


def _put(desk: Desk, panelist: Panelist, prompt: Prompt, nonce: str) -> EpicVerdict | EpicFailure:
    heard = desk.put(panelist, "epic", prompt, partial(read_verdict, nonce=nonce))
    if heard.answer is not None:
        return heard.answer
    return failure_of(heard.reply.status, f"{panelist.name}: {heard.reply.error}", heard.reply.text)


def verifier_for(config: Config, git: Git, world: World, trusted: bool) -> EpicVerifierProtocol:
    """The verifier that `epic_verification` names, and nothing else.

    Raises:
        UsageError: the gate needs a work tree, and there is none.
    """
    own = config.epic_verification
    if own.reviewer_type == "cerberus":
        if git.tree is None:
            raise UsageError(
                "an external gate needs a work tree, but this repository is bare", "verify the epic in a clone that is not bare"
            )
        return CerberusVerifier(own.cerberus or EpicCerberus(), git.tree, world, config, git)
    every = models(declared(config, "cli", ()))
    if own.reviewer_type == "agent_sdk":
        sdk = {name: entry for name, entry in config.reviewers.items() if entry.type == "agent_sdk"}
        every = dict([*sdk.items()][:1]) or {"agent_sdk": Reviewer(type="agent_sdk")}
    return ModelVerifier(every, config, git, world, trusted)
