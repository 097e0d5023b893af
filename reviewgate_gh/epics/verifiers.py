"""Who can verify an epic: an external gate, the agent SDK, or the declared language models
together. None of them tells of events."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from ..ensemble.client import ModelClient, open_model_client
from ..ensemble.context import files_within_limit
from ..ensemble.models import ModelReviewer, check_models, declared_reviewers, model_reviewers
from ..ensemble.prompt import estimate_tokens
from ..git import Git
from ..git.diff import diff_trees, parse_raw
from ..git.ranges import first_parent, range_over_commits, resolve_range
from ..model.change import Change, FileDiff, Range, Selection
from ..model.config import Config, ReviewerConfig
from ..model.epic_verification import EpicCerberus, EpicFailure, EpicTask, EpicVerdict
from ..model.errors import UsageError
from ..model.question import Prompt
from ..reporters._words import count_noun
from ..reviewers._context import ModelContext
from ..reviewers.gates import client as words
from ..reviewers.gates.client import ExternalGate, GateOptions, GateSpawnFailed, open_gate
from ..reviewers.gates.find import GateMissing
from ..settings.change import load_change
from ..system import process
from ..system.environment import Environment
from ..system.parallel import map_parallel
from ..system.temp_dirs import temp_dir
from ..text.escape import plain_line
from ..text.paths import denied_files, matching_paths
from .documents import evidence_lines, show_documents
from .verdict import (
    EPIC_SCHEMA,
    combine_epic_verdicts,
    epic_failure_of,
    epic_markdown,
    epic_own_part,
    epic_shared_part,
    epic_verdict_of_gate,
    read_epic_verdict,
)

_SNIPPET = 200
_OTHERWISE = "or use reviewer_type: agent_sdk."
_CHECK_SECONDS = 60.0
NO_MODEL = "no language model is configured: add one under reviewers in the config"
_OTHER = (
    "epic_verification.reviewer_type says who verifies epics (ensemble: the models under "
    "reviewers); epic_verification.enabled: false verifies none"
)
_DENIED = (
    "the external gate would send models files that policy.denied_paths withholds: use "
    "reviewer_type: agent_sdk or ensemble"
)


class EpicVerifierProtocol(Protocol):
    """Whoever verifies epics."""

    def available(self) -> EpicFailure | None:
        """Why it cannot be used at all; asked before the first attempt.

        Raises:
            ConfigError: its settings are wrong.
        """

    def verify(self, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
        """One attempt."""


class CerberusVerifier(Struct, frozen=True):
    """The installed external gate."""

    settings: EpicCerberus
    cwd: Path
    environment: Environment
    config: Config
    git: Git

    def available(self) -> EpicFailure | None:
        """There is a gate, and it verifies epics."""
        try:
            answer = self._gate("check").help(words.SPAWN_EPIC)
        except (GateMissing, process.ToolMissing) as error:
            why = error.message.rstrip(".")
            message = (
                f"Cerberus is required (epic_verification.reviewer_type: cerberus): {why}. "
                f"Install the Cerberus plugin {_OTHERWISE}"
            )
            return EpicFailure("cerberus_unavailable", message)
        try:
            if answer.code == 0:
                return None
            snippet = (
                plain_line(answer.err[:_SNIPPET], _SNIPPET)
                or answer.killed_reason
                or f"exit {answer.code}"
            )
        finally:
            answer.close()
        update = f"Update plugin to a version with {words.SPAWN_EPIC} {_OTHERWISE}"
        message = (
            f"Cerberus plugin does not support epic verification: {snippet.rstrip('.')}. {update}"
        )
        return EpicFailure(
            "cerberus_unavailable",
            f"{message} (Cerberus is required by epic_verification.reviewer_type.)",
        )

    def verify(self, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
        """Spawn and wait, under a session id that begins with the epic's."""
        if (denied := self.config.policy.denied_paths) and (
            denied_files(_touched(self.git, task), denied) or matching_paths(task.documents, denied)
        ):
            return EpicFailure("config_error", _DENIED)
        try:
            gate = self._gate(task.epic)
            with temp_dir("epic") as folder:
                file = folder / f"{words.safe_name_part(task.epic)}.md"
                file.write_text(epic_markdown(task), "utf-8", "replace")
                scope = words.GateScope(task.commits, task.base, task.head)
                argv = words.epic_arguments(
                    str(file), scope, gate.help_text(words.SPAWN_EPIC), self.settings.spawn_args
                )
                return epic_verdict_of_gate(gate.ask(argv, seconds))
        except GateMissing as error:
            return EpicFailure("cerberus_unavailable", error.message)
        except GateSpawnFailed as error:
            return EpicFailure(
                "timeout" if error.message.endswith("stopped: deadline") else "execution_error",
                error.message,
            )

    def _gate(self, name: str) -> ExternalGate:
        own = self.settings
        calling = GateOptions(spawn_args=own.spawn_args, wait_args=own.wait_args, env=own.env)
        return open_gate(calling, name, self.cwd, self.environment)


class ModelVerifier(Struct, frozen=True):
    """Language models: each answers, and together they are unanimous.

    `commit_range` stands in place of what the task names.
    """

    reviewers: Mapping[str, ReviewerConfig]
    config: Config
    git: Git
    environment: Environment
    trusted: bool
    commit_range: Range | None = None

    def available(self) -> EpicFailure | None:
        """Their settings are right, there is a model, and each can be asked: what a program, a key
        or a login lacks, no further attempt finds."""
        if not self.reviewers:
            return EpicFailure("config_error", NO_MODEL)
        missing = [
            f"{name}: {model.availability.error}"
            for name, model in self._models(_CHECK_SECONDS).items()
            if model.availability.error
        ]
        return EpicFailure("config_error", f"{'; '.join(missing)}. {_OTHER}") if missing else None

    def verify(self, task: EpicTask, seconds: float) -> EpicVerdict | EpicFailure:
        """One question to each of them at once."""
        return combine_epic_verdicts(list(self.each(task, seconds).values()))

    def each(self, task: EpicTask, seconds: float) -> dict[str, EpicVerdict | EpicFailure]:
        """What each of them says, by its name."""
        change = load_change(
            self.git,
            self.commit_range or epic_range(self.git, task),
            self.environment,
            self.trusted,
        )
        denied, room = self.config.policy.denied_paths, self.config.ensemble.context_tokens
        # A document that is not shown leaves criteria that nobody judges: so half may be theirs
        shown = show_documents(self.git, change, task.documents, denied, room // 2)
        texts, cut = self._change_texts(change, task, room - shown.tokens)
        if cut := (*shown.cut, *cut):
            names = ", ".join(cut[:3])
            why = (
                f"{count_noun(len(cut), 'file')} cannot be shown to models in full "
                f"(ensemble.context_tokens): {names}"
            )
            return dict.fromkeys(self.reviewers, EpicFailure("execution_error", why))
        panel, deadline = self._models(seconds), self.environment.clock() + seconds
        client = open_model_client(panel, self._context(seconds), deadline, self.config)
        shared = epic_shared_part(epic_markdown(task), texts, shown.texts)
        prompt = Prompt(shared, epic_own_part(client.nonce), EPIC_SCHEMA)
        lines = evidence_lines(self.git, change, task.documents, denied)
        read = partial(read_epic_verdict, nonce=client.nonce, lines=lines)
        with client.progress:
            said = map_parallel(
                lambda model: _ask(client, model, prompt, read), [*panel.values()], len(panel)
            )
        return dict(zip(panel, said, strict=True))

    def _models(self, seconds: float) -> dict[str, ModelReviewer]:
        mine = {
            name: replace(entry, timeout=seconds, fallback=None)
            for name, entry in self.reviewers.items()
        }
        return check_models(mine, self._context(seconds))

    def _context(self, seconds: float) -> ModelContext:
        return ModelContext(
            self.environment,
            seconds,
            self.trusted,
            self.git.tree,
            has_denied_files=bool(self.config.policy.denied_paths),
        )

    def _change_texts(
        self, change: Change, task: EpicTask, room: int
    ) -> tuple[list[str], tuple[str, ...]]:
        """The change as models are shown it, and the files that are not shown whole."""
        left_out = matching_paths((file.path for file in change.files), self.config.policy.exclude)
        room -= estimate_tokens(task.description)
        texts, cut = files_within_limit(change, left_out, self.config, room)
        return [text.text for text in texts], cut


def epic_range(git: Git, task: EpicTask) -> Range:
    """What an epic's commits change: from before the first to the last of them, or the range, or
    the work tree.

    Raises:
        UsageError: the commits do not follow one another.
    """
    if task.commits:
        return range_over_commits(git, task.commits)
    return (
        Range(task.base, task.head)
        if task.base
        else resolve_range(git, Selection(uncommitted=True))
    )


def _touched(git: Git, task: EpicTask) -> tuple[FileDiff, ...]:
    """The files of an epic's commits, of each alone: one may add what a later one takes out."""
    spans = [Range(first_parent(git, oid), oid) for oid in task.commits] or [epic_range(git, task)]
    return tuple(
        file
        for span in spans
        for file in parse_raw(diff_trees(git, span.base, span.head, patch=False))[0]
    )


def _ask(
    client: ModelClient, model: ModelReviewer, prompt: Prompt, read: Callable[[str], EpicVerdict]
) -> EpicVerdict | EpicFailure:
    heard = client.ask(model, "epic", prompt, read)
    if heard.answer is not None:
        return heard.answer
    return epic_failure_of(
        heard.reply.status, f"{model.name}: {heard.reply.error}", heard.reply.text
    )


def verifier_for(
    config: Config, git: Git, environment: Environment, trusted: bool
) -> EpicVerifierProtocol:
    """The verifier that `epic_verification` names, and nothing else.

    Raises:
        UsageError: the gate needs a work tree, and there is none.
    """
    own = config.epic_verification
    if own.reviewer_type == "cerberus":
        if git.tree is None:
            raise UsageError(
                "an external gate needs a work tree, but this repository is bare",
                "verify the epic in a clone that is not bare",
            )
        return CerberusVerifier(own.cerberus or EpicCerberus(), git.tree, environment, config, git)
    every = model_reviewers(declared_reviewers(config, "cli", ()))
    if own.reviewer_type == "agent_sdk":
        sdk = {name: entry for name, entry in config.reviewers.items() if entry.type == "agent_sdk"}
        every = dict([*sdk.items()][:1]) or {"agent_sdk": ReviewerConfig(type="agent_sdk")}
    return ModelVerifier(every, config, git, environment, trusted)
