"""Files of Compose that it refuses: keys with a slip, services that wait for each other, and one
port of the host for two of them.

https://docs.docker.com/reference/compose-file/services/
"""

from collections.abc import Iterator
from typing import Any

from ...model.finding import Finding, Priority
from ...text.keywords import is_one_slip
from ...text.patterns import lazy_pattern
from ._paths import is_fixture
from ._problems import Problem, new_problems
from ._sources import CheckInput
from ._yaml_trees import at, documents, fields, items, line_of, merged, text_of

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LARGEST, _MOST = 200_000, 200
_WANTED = lazy_pattern(r"(?:\A|/)(?:docker-)?compose[^/]*\.ya?ml\Z")
_FILLED_IN = lazy_pattern(rb"\{\{|\{%")
_SERVICE = """annotations attach build blkio_config cap_add cap_drop cgroup cgroup_parent command
    configs container_name cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime
    cpu_shares cpus cpuset credential_spec depends_on deploy develop device_cgroup_rules devices dns
    dns_opt dns_search domainname entrypoint env_file environment expose extends external_links
    extra_hosts gpus group_add healthcheck hostname image init ipc isolation label_file labels links
    log_driver log_opt logging mac_address mem_limit mem_reservation mem_swappiness memswap_limit
    models net network_mode networks oom_kill_disable oom_score_adj pid pids_limit platform ports
    post_start pre_stop privileged profiles provider pull_policy read_only restart runtime scale
    secrets security_opt shm_size stdin_open stop_grace_period stop_signal storage_opt sysctls tmpfs
    tty ulimits use_api_socket user userns_mode uts volume_driver volumes volumes_from
    working_dir"""
_TOP = "version name services networks volumes secrets configs include models"
_CHECK = "test interval timeout retries start_period start_interval disable"
_PORT = lazy_pattern(r"(?:(?P<address>[\d.]+|\[[^\]]*\]):)?(?P<port>\d+):\d+(?:/(?P<kind>\w+))?")

_Found = tuple[Any, str]


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a mistake."""
    return new_problems(sources, _is_wanted, _problems, _LARGEST)


def _is_wanted(path: str) -> bool:
    return _WANTED.search(path) is not None and not is_fixture(path)


def _problems(_path: str, data: bytes) -> Iterator[Problem]:
    if b"services" not in data or _FILLED_IN.search(data):
        return
    for root, before in documents(data.decode("utf-8", "replace")):
        services = fields(at(root, "services"))
        found = [*_slips(root, _TOP), *_circle(services)]
        for service in services.values():
            found += _slips(service, _SERVICE)
            found += _slips(at(service, "healthcheck"), _CHECK)
        for node, title in found:
            body = "`docker compose` refuses it."
            yield Problem("compose-refused", before + line_of(node), title, body, Priority.P1)
        for node, title in _ports(services):
            body = "Only one of them can run. Give one another port, or each a profile."
            yield Problem("compose-port", before + line_of(node), title, body, Priority.P3)


def _slips(node: Any, known: str) -> Iterator[_Found]:
    names = known.split()
    for key, _ in node.value if node is not None and node.id == "mapping" else ():
        word = text_of(key)
        meant = next((name for name in names if _is_meant(word, name)), "")
        if word not in names and not word.startswith("x-") and meant:
            yield key, f"there is no key `{word[:40]}` here (there is `{meant}`)"


def _is_meant(word: str, name: str) -> bool:
    same = word.lower().replace("-", "_") == name
    return same or (len(name) > 3 and is_one_slip(word, name))


def _circle(services: dict[str, Any]) -> Iterator[_Found]:
    if len(services) > _MOST:
        return
    waits = {name: _awaited(merged(service)) for name, service in services.items()}
    while done := [name for name, needs in waits.items() if not _is_between(name, needs, waits)]:
        waits = {name: needs for name, needs in waits.items() if name not in done}
    if waits:
        name = min(waits)
        node = merged(services[name])["depends_on"]
        yield node, f"the service `{name[:40]}` waits for services that wait for it"


def _awaited(service: dict[str, Any]) -> set[str]:
    node = service.get("depends_on")
    return {*fields(node), *map(text_of, items(node))}


def _is_between(name: str, needs: set[str], waits: dict[str, set[str]]) -> bool:
    return not needs.isdisjoint(waits) and any(name in each for each in waits.values())


def _ports(services: dict[str, Any]) -> Iterator[_Found]:
    """One port of one address for two services that run at once: none of them has a profile."""
    taken: dict[tuple[str, str, str], str] = {}
    for name, service in services.items():
        keys = merged(service)
        for node in items(keys.get("ports")) if not keys.keys() & {"profiles", "extends"} else ():
            found = _PORT.fullmatch(text_of(node))
            if found:
                place = (found["address"] or "", found["port"], found["kind"] or "tcp")
                other = taken.setdefault(place, name)
                if other != name:
                    yield node, f"`{other[:40]}` has the port {found['port']} of the host already"
