"""What every question of a run shares: the project's rules and the diff, built once."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from ..findings.carry_over import carry_over
from ..findings.code_search import CodeIndex
from ..findings.lines import FileText, file_text
from ..findings.scope import ChangedLines
from ..git import Git
from ..git.diff import diff_trees, parse_raw
from ..git.objects import list_paths, read_files
from ..model.change import Change, FileDiff
from ..model.config import Config
from ..model.errors import GateError
from ..model.finding import Finding
from ..model.question import Prompt, RunEffort
from ..model.review import Review
from ..reporters._words import count_noun
from ..settings.change import diff_between
from ..text.paths import denied_files, matching_paths
from ..text.redact import redact
from ..text.visible import show_hidden
from .answer import ANSWER
from .batches import Batch, outline, split_files
from .consensus import is_from_across
from .context_pack import PackSources, build_pack
from .excerpts import ContextPack, join_packs
from .incremental import LastReview
from .options import ReviewRun
from .outcomes import KnownOutcome, outcomes_about
from .project_rules import INSTRUCTIONS_FOLDER, RuleSources, collect_rules
from .prompt import estimate_tokens, outline_part, shared_part, system_part


class PromptContext(Struct, frozen=True):
    """`system_prompt` begins every question, and the shared prompt of one of the `batches` follows
    it. `cut_paths` are those of which models see nothing or not all.

    `change` is what is shown of the `full_change` one, `carried_reviews` is what was open at the
    last review of a pull request; `denied_paths` are the changed files that are sent to no model.
    `known` is what models are told that tools report.
    """

    full_change: Change
    change: Change
    system_prompt: str
    batches: tuple[Batch, ...]
    cut_paths: tuple[str, ...]
    notices: tuple[str, ...]
    carried_reviews: tuple[Review, ...] = ()
    denied_paths: frozenset[str] = frozenset()
    pack: ContextPack = ContextPack()
    outline: str = ""
    known: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """All of the change is shown, and not only what is new since an earlier review."""
        return self.change is self.full_change

    def prompt(self, shared_part: str, own_part: str, effort: RunEffort | None) -> Prompt:
        """One question about the change. All have the same schema, for the vendors' caches."""
        return Prompt(shared_part, own_part, ANSWER, effort, self.system_prompt)

    def batch_of(self, finding: Finding) -> Batch:
        """The batch that showed its code, or what breaks its code; the first of all where none
        did. What was found across the batches was shown by the outline."""
        if self.outline and all(map(is_from_across, finding.sources)):
            return Batch(outline_part(self.outline), frozenset(), ())
        paths = {finding.path, finding.commented_path}
        found = (each for each in self.batches if not each.paths.isdisjoint(paths))
        return next(found, self.batches[0])


def build_context(
    run: ReviewRun,
    earlier: LastReview | None,
    known: Callable[[], Sequence[KnownOutcome]] = tuple,
) -> PromptContext:
    """The shared part of this change's questions; what is excluded or denied is not in it, nor what
    was reviewed before. `known` is asked last: it may wait for what tools report."""
    change, config, git = run.change, run.config, run.git
    denied = denied_files(change.files, config.policy.denied_paths)
    carried: tuple[Review, ...] = ()
    new = change
    told: tuple[str, ...] = ()
    if earlier is not None:
        carried, new, since = _since(earlier, change, git, run.options.asks_no_models)
        told = (since,)
    files = tuple(
        file for file in new.files if file.path not in run.excluded and file.path not in denied
    )
    rules, notices = _rules(run, [file.path for file in files])
    notices = (*notices, *told)
    room = config.ensemble.context_tokens - estimate_tokens(rules)
    texts = [file_text(file) for file in files]
    parts, cut = split_files(texts, room, config.ensemble.context.tokens)
    mine = [_files_of(part, files) for part in parts]
    left = [room - sum(estimate_tokens(text.text) for text in part) for part in parts]
    packed = [
        _pack(run, replace(new, files=some), denied | run.excluded, least)
        for some, least in zip(mine, left, strict=True)
    ]
    rows = known()
    batches = [
        _batch(part, pack, rows, least, again=earlier is not None)
        for part, (pack, _why), least in zip(parts, packed, left, strict=True)
    ]
    untold = dict.fromkeys(why for _pack, reasons in packed for why in reasons)
    notices = (*notices, *untold, *_unshown(len(files), len(batches), len(denied)))
    return PromptContext(
        change,
        new,
        system_part(rules, config.ensemble.context.tools),
        tuple(batches),
        cut,
        notices,
        carried,
        denied,
        join_packs([pack for pack, _why in packed]),
        outline(texts, room // 2) if len(batches) > 1 else "",
        tuple(dict.fromkeys(each for batch in batches for each in batch.known)),
    )


def _unshown(files: int, batches: int, denied: int) -> Iterator[str]:
    """What models do not see at once, or at all."""
    if batches > 1:
        many = f"{files} files in {batches} batches"
        yield f"models read the change in parts ({many}), and an outline of all"
    if denied:
        yield f"policy.denied_paths: {count_noun(denied, 'changed file')} not sent to models"


def _files_of(part: Sequence[FileText], files: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    paths = {text.path for text in part}
    return tuple(file for file in files if file.path in paths)


def _batch(
    part: Sequence[FileText],
    pack: ContextPack,
    known: Sequence[KnownOutcome],
    room: int,
    again: bool,
) -> Batch:
    """Files that are read together, with what is shown beside them and told of them."""
    paths = frozenset(text.path for text in part)
    told, more = outcomes_about(known, paths, room - estimate_tokens(pack.text))
    tools = [each.text for each in told if each.path]
    checks = [each.text for each in told if not each.path]
    counted = [f"and {count_noun(more, 'more row')}"] if tools and more else []
    shared = shared_part(part, again, pack.text, [*tools, *counted], checks)
    whole = tuple(text.path for text in part if not text.cut)
    return Batch(shared, paths, whole, (*checks, *tools, *counted))


def intent_of_change(run: ReviewRun, is_read_whole: Callable[[], bool]) -> tuple[str, str]:
    """What the change is meant to do, as far as somebody said so, as models may see it, and why
    that is not known. Of a pull request that is asked for where models read all of it: to a part
    nobody would compare it."""
    text, why = run.environment.change_intent(), ""
    if not text and run.options.intent and is_read_whole():
        try:
            text = run.options.intent()
        except GateError as error:
            said = "; ".join(filter(None, (error.message, error.hint)))
            why = f"it is not known what the pull request is meant to do: {said}"
    return show_hidden(redact(text)).strip(), why


def _rules(run: ReviewRun, paths: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The project's rules for these paths, and what to say of them."""
    git, commit = run.git, run.change.settings_commit
    instructions = list_paths(git, commit, INSTRUCTIONS_FOLDER)
    sources = RuleSources(partial(read_files, git, commit), instructions, paths)
    return collect_rules(sources, run.config.policy.denied_paths)


def _pack(
    run: ReviewRun, change: Change, unseen: frozenset[str], room: int
) -> tuple[ContextPack, tuple[str, ...]]:
    """The code beside the change, and why there is none where git cannot read it."""
    patterns = (run.config.policy.denied_paths, run.config.policy.exclude)

    def hidden(paths: Collection[str]) -> Collection[str]:
        return unseen.union(*(matching_paths(paths, each) for each in patterns))

    try:
        sources = PackSources(run.git, change, hidden)
        return build_pack(sources, min(run.config.ensemble.context.tokens, room)), ()
    except GateError as error:
        return ContextPack(), (f"models were shown no code beside the change: {error.message}",)


def files_within_limit(
    change: Change, left_out: Collection[str], config: Config, room: int
) -> tuple[list[FileText], tuple[str, ...]]:
    """The files that models may read, as far as so many tokens hold them, and those that are not
    shown whole."""
    return _within([file_text(file) for file in files_for_models(change, left_out, config)], room)


def files_for_models(change: Change, left_out: Collection[str], config: Config) -> list[FileDiff]:
    """The files that models may read."""
    denied = denied_files(change.files, config.policy.denied_paths)
    return [file for file in change.files if file.path not in left_out and file.path not in denied]


def _since(
    earlier: LastReview, change: Change, git: Git, is_read: bool
) -> tuple[tuple[Review, ...], Change, str]:
    """What is carried, what is new, and that this is so; if models have read all of it (`is_read`),
    nothing is new. What a merge brings from the base branch is no part of the change."""
    known = {file.path for file in change.files}
    whole = _compared_anew(earlier, change, git)
    pushed = tuple(
        file for file in diff_between(git, earlier.head, change.head) if file.path in known
    )
    new = (*(file for file in pushed if file.path not in {each.path for each in whole}), *whole)
    index, differing = CodeIndex(ChangedLines(change)), {file.path for file in new}
    (first, *more), gone = carry_over(earlier.findings, index, earlier.head[:12], differing)
    new = () if is_read else new
    reviews = (replace(first, covered=tuple(known.difference(file.path for file in new))), *more)
    settled = f", {gone} of them removed with their code" if gone else ""
    what = "models were not asked again" if is_read else "models read only what is new"
    told = (
        f"{what} since {earlier.head[:12]}; open findings there: {len(earlier.findings)}{settled}"
    )
    return reviews, replace(change, base=earlier.head, files=new), told


def _compared_anew(earlier: LastReview, change: Change, git: Git) -> tuple[FileDiff, ...]:
    """The files whose other side is another one now (the base branch moved, or the pull request
    goes to another): more than what was pushed may be new in them."""
    if earlier.base == change.base:
        return ()
    moved = {
        path
        for file in parse_raw(diff_trees(git, earlier.base, change.base, patch=False))[0]
        for path in (file.path, file.old_path)
    }
    return tuple(file for file in change.files if moved.intersection((file.path, file.old_path)))


def _within(texts: list[FileText], room: int) -> tuple[list[FileText], tuple[str, ...]]:
    """The files that the context holds, in their order, and those that are not shown whole."""
    taken, cut = [], []
    for text in texts:
        size = estimate_tokens(text.text)
        fits = size <= room
        if fits:
            taken.append(text)
            room -= size
        if text.cut or not fits:
            cut.append(text.path)
    return taken, tuple(cut)
