"""What Terraform opens to the whole internet: ports of machines and databases, and policies by
which everybody may change something.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html
"""

import re
from collections.abc import Iterator

from ...model.finding import Finding
from ...text.hcl import blocks_of, hcl_code
from ...text.patterns import lazy_pattern
from ._paths import is_fixture, is_tests
from ._problems import Problem, new_problems
from ._sources import CheckInput

_SUFFIXES = (".tf", ".json")
WANTS = ("*.tf", "*.json")
EVERY_FILE = False
_LARGEST = 100_000
_ALL = r"\"(?:0\.0\.0\.0/0|::/0)\""
_SOURCES = lazy_pattern(
    r"\b(?P<key>cidr_blocks|ipv6_cidr_blocks|cidr_ipv[46]|source_ranges"
    r"|source_address_prefix(?:es)?)"
    rf"\s*=\s*(?:\[[^\]]{{0,500}})?(?:{_ALL}|(?<=[=\s])\"(?:\*|Internet|any)\")"
)
_NUMBER = r"\s*=\s*\"?(\d{1,5})\b"
_FROM, _TO = (lazy_pattern(rf"\b{side}_port{_NUMBER}") for side in ("from", "to"))
_PORTS = lazy_pattern(
    r"\b(?:ports|destination_port_ranges?)\s*=\s*(?P<ports>\[[^\]]{0,500}\]|\"[^\"]{0,500}\")"
)
_RANGE = lazy_pattern(r"\"(?P<first>\d{1,5}|\*)(?:-(?P<last>\d{1,5}))?\"")
_ALL_PROTOCOLS = lazy_pattern(r"\b(?:ip_)?protocol\s*=\s*\"(?:-1|all)\"")
_NOT_IN = lazy_pattern(
    r"(?i)\btype\s*=\s*\"egress\"|\bdirection\s*=\s*\"(?:egress|outbound)\"|\baccess\s*=\s*\"deny\""
    r"|\bdeny\s*\{"
)
_OPENING = lazy_pattern(
    r"ingress|security_rule|aws_security_group_rule|aws_vpc_security_group_ingress_rule"
    r"|google_compute_firewall|azurerm_network_security_rule"
)
# Who reaches them can try passwords, or needs none
_PRIVATE = {
    22: "SSH", 23: "Telnet", 445: "SMB", 1433: "SQL Server", 1521: "Oracle", 2375: "Docker",
    2379: "etcd", 3306: "MySQL", 3389: "RDP", 5432: "PostgreSQL", 5900: "VNC", 6379: "Redis",
    9200: "Elasticsearch", 11211: "memcached", 27017: "MongoDB",
}  # fmt: skip
_EVERYBODY = (
    r"\"?\bPrincipal\"?\s*[=:]\s*(?:\"\*\"|\{\s*\"?AWS\"?\s*[=:]\s*(?:\[\s*)?\"\*\"\s*\]?\s*\})"
    r"|\bidentifiers\s*=\s*\[\s*\"\*\"\s*\]"
)
_PLACES = lazy_pattern(rf"(?P<everybody>{_EVERYBODY})|[{{}}]")
_ALLOWS = lazy_pattern(r"\bEffect\"?\s*[=:]\s*\"Allow\"")
_FORBIDS = lazy_pattern(r"(?i)\bEffect\"?\s*[=:]\s*\"Deny\"|\bcondition\b")
_ACTIONS = lazy_pattern(r"(?i)\bactions?\"?\s*[=:]\s*(?P<actions>\[[^\]]*\]|\"[^\"]*\")")
_ACTION = lazy_pattern(r"\"(?P<service>[\w-]+:)?(?P<does>[\w*]+)\"")
# What only reads, and what has to be open: a role that a sign-in asks for
_READS = lazy_pattern(r"(?:Get|List|Describe|Head|Batch(?:Get|Check)|Query|Scan|Assume)\w*\*?")
_FURTHEST = 3_000  # characters of a statement


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a rule or a statement."""
    return new_problems(sources, _is_wanted, _problems, _LARGEST)


def _is_wanted(path: str) -> bool:
    return path.endswith(_SUFFIXES) and not (is_fixture(path) or is_tests(path))


def _problems(path: str, data: bytes) -> Iterator[Problem]:
    text = data.decode("utf-8", "replace")
    if path.endswith(".tf") and _SOURCES.search(text):
        yield from _open_ports(text)
    told = set[str]()
    for place, statement in _statements(text).items():
        is_new = statement not in told
        told.add(statement)
        allows = text.startswith("identifiers", place) or _ALLOWS.search(statement)
        if is_new and allows and (what := _changing(statement)):
            yield Problem(
                "open-policy",
                text.count("\n", 0, place) + 1,
                f"everybody is allowed {what}",
                "Name the accounts, or add a condition that limits who may do it.",
                area="security",
            )


def _open_ports(text: str) -> Iterator[Problem]:
    code = hcl_code(text)
    for kind, first, name, start, last in blocks_of(text, code):
        end = min(last, start + _FURTHEST)
        inside = text[start:end]
        if not _OPENING.fullmatch(kind if kind != "resource" else first):
            continue
        source = next((each for each in _SOURCES.finditer(text, start, end)
                       if code[each.start()] != " "), None)  # fmt: skip
        if source and not _NOT_IN.search(inside) and (service := _reached(inside)):
            of = f" of {name!r}" if name else ""
            yield Problem(
                "open-port",
                text.count("\n", 0, source.start()) + 1,
                f"the whole internet reaches {service}{of}",
                "Allow the addresses that need it, or go through a VPN.",
                area="security",
            )


def _reached(inside: str) -> str:
    """What is open that should not be; "" for nothing."""
    if _ALL_PROTOCOLS.search(inside):
        return "every port"
    first, last = _FROM.search(inside), _TO.search(inside)
    ranges = [(int(first[1]), int(last[1]))] if first and last else []
    for listed in _PORTS.finditer(inside):
        for each in _RANGE.finditer(listed["ports"]):
            low = 0 if each["first"] == "*" else int(each["first"])
            high = 65535 if each["first"] == "*" else int(each["last"] or low)
            ranges.append((low, high))
    if any(low <= 1 and high >= 65535 for low, high in ranges):
        return "every port"
    return next((f"{service} (port {port})" for port, service in _PRIVATE.items()
                 for low, high in ranges if low <= port <= high), "")  # fmt: skip


def _statements(text: str) -> dict[int, str]:
    """By the place of each who is allowed, what stands between the nearest braces around it; for
    `identifiers`, which stand within `principals`, around the next ones."""
    ends, around, opened = dict[int, int](), dict[int, int](), list[int]()
    for found in _PLACES.finditer(text):
        if found["everybody"]:
            further = 2 if found["everybody"].startswith("identifiers") else 1
            around[found.start()] = opened[-further] if len(opened) >= further else -1
        for brace in re.finditer(r"[{}]", found[0]):
            if brace[0] == "{":
                opened.append(found.start() + brace.end())
            elif opened:
                ends[opened.pop()] = found.start() + brace.start()
    return {
        place: text[start : ends[start]]
        for place, start in around.items()
        if start in ends and ends[start] - start <= 2 * _FURTHEST
    }


def _changing(statement: str) -> str:
    """An action of a statement that changes something; "" where a condition limits it."""
    if _FORBIDS.search(statement):
        return ""
    for listed in _ACTIONS.finditer(statement):
        for each in _ACTION.finditer(listed["actions"]):
            if not _READS.fullmatch(each["does"]):
                return f"`{each[0][1:-1]}`" if each["does"] != "*" else f"all of `{each[0][1:-1]}`"
    return ""
