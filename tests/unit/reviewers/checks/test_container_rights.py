"""Control over the host, given to a container."""

import pytest

from reviewgate_gh.reviewers.checks import container_rights
from tests.unit.reviewers.checks.support import edited, sources


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("      - /var/run/docker.sock:/var/run/docker.sock:ro", True),
        ("            path: /var/run/docker.sock", True),
        ("    privileged: true", True),
        ("  - privileged: true", True),
        ("  hostPID: true", True),
        ("            - SYS_ADMIN", True),
        ("    privileged: false", False),
        ("    # privileged: true", False),
        ("    allowPrivilegedContainer: true", False),
        ("    description: mounts docker.sock", False),
        ("    hostNetworkPolicy: true", False),
    ],
)
def test_which_lines_give_it(line: str, found: bool) -> None:
    change = edited("deploy/a.yaml", " a: 1", f"+{line}")
    rules = [(f.rule, f.priority.value) for f in container_rights.check(sources(change))]
    assert rules == ([("builtin/container-rights", "P3")] if found else [])


@pytest.mark.parametrize("path", ["a.py", "tests/fixtures/a.yaml"])
def test_elsewhere_it_is_text(path: str) -> None:
    assert not [*container_rights.check(sources(edited(path, "+privileged: true")))]
