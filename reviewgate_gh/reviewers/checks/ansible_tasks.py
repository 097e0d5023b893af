"""Tasks of Ansible that it refuses: two modules in one, none at all, and keywords with a slip.

https://docs.ansible.com/ansible/latest/reference_appendices/playbooks_keywords.html
"""

from collections.abc import Iterator
from typing import Any

from ...model.finding import Finding, Priority
from ...text.keywords import is_one_slip
from ...text.patterns import lazy_pattern
from ._paths import is_fixture
from ._problems import Problem, new_problems
from ._sources import CheckInput
from ._yaml_trees import MERGE, documents, fields, items, line_of, text_of

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST = 200_000
_SHARED = """any_errors_fatal become become_exe become_flags become_method become_user check_mode
    collections connection debugger diff environment ignore_errors ignore_unreachable
    module_defaults name no_log port remote_user run_once tags throttle timeout vars"""
_OF_PLAYS = """fact_path force_handlers gather_facts gather_subset gather_timeout handlers hosts
    max_fail_percentage order post_tasks pre_tasks roles serial strategy tasks validate_argspec
    vars_files vars_prompt user"""
_OF_TASKS = """action args async changed_when delay delegate_facts delegate_to failed_when
    local_action loop loop_control notify poll register retries until when listen block rescue
    always"""
_OF_PLAY, _OF_TASK = (frozenset(f"{_SHARED} {each}".split()) for each in (_OF_PLAYS, _OF_TASKS))
_ACTIONS = frozenset(("action", "local_action"))
_BLOCKS = ("block", "rescue", "always")
# What was allowed once, and means no module
_ONCE = frozenset(("sudo", "sudo_user", "su", "su_user", "always_run", "static", "jinja2"))
_CONDITIONS = ("when", "changed_when", "failed_when", "until")
_TASK_FILE = lazy_pattern(r"(?:\A|/)(?:tasks|handlers)/(?:[^/]+/)*[^/]+\.ya?ml\Z")
# Modules by their usual short names, and by whole ones
_MODULE = lazy_pattern(
    r"\w+\.\w+\.\w+|apt|yum|dnf|package|copy|template|file|service|systemd|command|shell|debug"
    r"|set_fact|assert|fail|stat|get_url|uri|user|group|git|pip|lineinfile|blockinfile|unarchive"
    r"|(?:include|import)_(?:tasks|role|vars)|meta|ping|cron|wait_for"
)
# Those of which no other collection has one by the same name:
# https://docs.ansible.com/ansible/latest/collections/ansible/builtin/
_OWN = "ansible.builtin."
_STATES = {
    "apt": "absent build-dep fixed latest present installed removed",
    "dnf": "absent latest present installed removed",
    "yum": "absent latest present installed removed",
    "service": "started stopped restarted reloaded running",
    "systemd": "started stopped restarted reloaded",
    "systemd_service": "started stopped restarted reloaded",
    "file": "absent directory file hard link touch",
    "lineinfile": "absent present",
    "blockinfile": "absent present",
    "pip": "absent forcereinstall latest present",
    "cron": "absent present",
}
# What a play has beside its hosts
_PLAY = lazy_pattern(rb"(?m)^(?:- | {1,8})(?:tasks|pre_tasks|post_tasks|handlers|roles):")
_LISTS = ("tasks", "pre_tasks", "post_tasks", "handlers")
_REFUSED = "Ansible stops before it runs anything."


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a task."""
    return new_problems(sources, _is_wanted, _problems, _LARGEST)


def _is_wanted(path: str) -> bool:
    return path.endswith((".yml", ".yaml")) and not is_fixture(path)


def _problems(path: str, data: bytes) -> Iterator[Problem]:
    is_tasks = _TASK_FILE.search(path) is not None
    if not is_tasks and not (b"hosts:" in data and _PLAY.search(data)):
        return
    for root, before in documents(data.decode("utf-8", "replace")):
        found = [*_in_plays(root)] if b"hosts:" in data else []
        if is_tasks and _are_tasks(root):
            found = [*_in_tasks(root)]
        for node, title, priority in found:
            body = _REFUSED if priority is Priority.P1 else "Conditions have no braces."
            yield Problem("ansible-task", before + line_of(node), title, body, priority)


_Found = tuple[Any, str, Priority]


def _in_plays(root: Any) -> Iterator[_Found]:
    for play in items(root):
        keys = fields(play)
        if "hosts" not in keys or not (keys.keys() & {*_LISTS, "roles"}):
            continue
        for key, node in keys.items():
            if key in _LISTS:
                yield from _in_tasks(node)
            elif slip := _slip(key, _OF_PLAY):
                yield node, f"a play has no keyword `{key}` (there is `{slip}`)", Priority.P1


def _are_tasks(root: Any) -> bool:
    return any(_MODULE.fullmatch(key) for each in items(root) for key in fields(each))


def _in_tasks(node: Any) -> Iterator[_Found]:
    for task in items(node):
        keys = fields(task)
        if not keys or MERGE in keys:
            continue
        for key in _BLOCKS:
            yield from _in_tasks(keys.get(key))
        yield from _in_task(task, keys)
        yield from _states(keys)
        for key in _CONDITIONS:
            condition = text_of(keys.get(key))
            if "{{" in condition and not condition.lstrip().startswith("{{"):
                yield keys[key], f"`{key}` has braces: it is an expression already", Priority.P3


def _states(keys: dict[str, Any]) -> Iterator[_Found]:
    """A state that the module does not know."""
    for key, module in keys.items():
        is_known = "." not in key or key.startswith(_OWN)
        known = _STATES.get(key.rpartition(".")[2], "").split() if is_known else []
        state = fields(module).get("state")
        name = text_of(state)
        if known and name and "{" not in name and name not in known:
            yield state, f"`{key[:40]}` knows no state `{name[:40]}`", Priority.P1


def _in_task(task: Any, keys: dict[str, Any]) -> Iterator[_Found]:
    others = [key for key in keys if not _is_keyword(key)]
    name = f" of {text_of(keys['name'])[:60]!r}" if "name" in keys else ""
    slips = {key: slip for key in others if (slip := _slip(key, _OF_TASK))}
    modules = [key for key in others if key not in slips] + [*(keys.keys() & _ACTIONS)]
    where = (
        next((key for key, _ in task.value if key.value == others[-1]), task) if others else task
    )
    if len(modules) > 1:
        shown = " and ".join(f"`{each}`" for each in modules[:3])
        yield where, f"one task{name} has two modules: {shown}", Priority.P1
    elif slips and modules:
        key = next(iter(slips))
        where = next(each for each, _ in task.value if each.value == key)
        title = f"a task{name} has no keyword `{key}` (there is `{slips[key]}`)"
        yield where, title, Priority.P1
    elif not others and not modules and not keys.keys() & {*_BLOCKS, "include"}:
        yield where, f"a task{name} has no module", Priority.P1


def _is_keyword(key: str) -> bool:
    return key in _OF_TASK or key in _ONCE or key.startswith("with_") or "{{" in key


def _slip(key: str, known: frozenset[str]) -> str:
    """The keyword that a word is one slip away from; "" for a keyword, and for what may be a
    module."""
    if key in known or key in _ONCE or len(key) < 4 or _MODULE.fullmatch(key):
        return ""
    return next((each for each in sorted(known) if is_one_slip(key, each)), "")
