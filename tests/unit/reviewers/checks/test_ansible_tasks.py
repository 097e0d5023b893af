"""Tasks that Ansible refuses."""

import pytest

from reviewgate_gh.reviewers.checks import ansible_tasks
from tests.unit.reviewers.checks.support import edited, on, short, sources

PLAY = "- name: Set up\n  hosts: web\n  become: true\n  tasks:\n{tasks}"


def play(task: str) -> str:
    return PLAY.format(tasks="".join(f"    {row}\n" for row in task.split("\n")))


@pytest.mark.parametrize(
    ("task", "priority", "line"),
    [
        ("- apt: {name: a}\n  service: {name: a}", "P1", 6),
        ("- a.b.c: {}\n  community.general.ufw: {}", "P1", 6),
        ("- action: ping\n  debug: {}", "P1", 6),
        ("- command: a\n  regsiter: out", "P1", 6),
        ("- command: a\n  wehn: b", "P1", 6),
        ("- ansible.builtin.apt: {name: a, state: instaled}", "P1", 5),
        ("- file:\n    state: dir", "P1", 6),
        ("- name: Nothing\n  when: a", "P1", 5),
        ("- block:\n    - apt: {}\n      yum: {}", "P1", 7),
        ("- debug: {}\n  when: a == '{{ b }}'", "P3", 6),
    ],
)
def test_tasks_that_ansible_refuses(task: str, priority: str, line: int) -> None:
    text = play(task)
    assert on(ansible_tasks, "a.yml", text) == [(priority, "ansible-task", f"a.yml:{line}")]
    assert on(ansible_tasks, "a.yml", text.replace("hosts: web", "nodes: web")) == []


@pytest.mark.parametrize(
    "task",
    [
        "- apt: {name: a}\n  register: out\n  until: out is ok\n  with_items: [a]",
        "- name: a\n  local_action: ping",
        "- block:\n    - ping:\n  rescue:\n    - debug: {msg: a}",
        "- include: a.yml",
        "- include_role: {name: a}\n  loop_control: {loop_var: b}",
        "- <<: *common\n  name: a",
        "- ping:\n  when: '{{ a }}'",
        "- file: {path: a, state: '{{ b }}'}",
        "- apt: {name: a, state: latest}",
        "- other.own.file: {state: open}",
    ],
)
def test_sound_tasks(task: str) -> None:
    assert on(ansible_tasks, "a.yml", play(task)) == []


def test_files_of_tasks() -> None:
    text = "- apt: {name: a}\n  service: {name: a}\n"
    found = [("P1", "ansible-task", "roles/a/tasks/main.yml:2")]
    assert on(ansible_tasks, "roles/a/tasks/main.yml", text) == found
    assert on(ansible_tasks, "a/main.yml", text) == []
    assert on(ansible_tasks, "a/tasks/main.yml", "- cmds: a\n  desc: b\n") == []


def test_plays() -> None:
    text = play("- ping:").replace("become:", "becme:")
    assert on(ansible_tasks, "a.yml", text) == [("P1", "ansible-task", "a.yml:3")]
    assert on(ansible_tasks, "a.yml", text.replace("becme:", "x_ports:")) == []


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    file = edited("a.yml", "-- name: a", "+- name: Set up")
    text = play("- apt: {}\n  yum: {}")
    assert short(ansible_tasks, sources(file, contents={"a.yml": text})) == []
