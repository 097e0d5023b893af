"""Files of Compose that it refuses."""

import pytest

from reviewgate_gh.reviewers.checks import compose_keys
from tests.unit.reviewers.checks.support import edited, on, short, sources

TEXT = """\
x-a: &a {init: true}
services:
  web:
    <<: *a
    image: example/web:1
    environment: {A: b}
    depends_on: [db]
    ports: ["8080:80", "127.0.0.1:5432:1"]
  db:
    image: example/db:1
    healthcheck: {test: a, start_period: 5s}
    ports: ["5432:5432"]
volumes: {}
"""


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("", "", 0),
        ("environment", "enviroment", 6),
        ("depends_on", "depends-on", 7),
        ("start_period", "startPeriod", 0),
        ("start_period", "start-period", 11),
        ("volumes", "volume", 13),
        ("volumes", "x-volumes", 0),
        (
            "    healthcheck",
            "    depends_on: {web: {condition: service_started}}\n    healthcheck",
            11,
        ),
        ("5432:5432", "8080:5432", 12),
        ("5432:5432", "8080:5432/udp", 0),
        ("5432:5432", "${PORT}:5432", 0),
        ('["5432:5432"]', '["8080:5432"]\n    profiles: [a]', 0),
        ("{A: b}", "{volume: '{{ a }}', imag: b}", 0),
    ],
)
def test_files(old: str, new: str, line: int) -> None:
    text = TEXT.replace(old, new, 1) if old else TEXT
    kind = ("P1", "compose-refused") if line != 12 else ("P3", "compose-port")
    assert on(compose_keys, "compose.yaml", text) == [(*kind, f"compose.yaml:{line}")] * bool(line)
    assert on(compose_keys, "other.yaml", text) == []


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = TEXT.replace("environment", "enviroment")
    file = edited("compose.yaml", "-volumes: []", "+volumes: {}", start=13)
    assert short(compose_keys, sources(file, contents={"compose.yaml": text})) == []
