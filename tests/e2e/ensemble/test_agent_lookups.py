"""A coding agent in a panel that looks up more of the project, through the server that it is told
to start."""

import pytest

from tests.agents import Fake
from tests.support import Repo

from ..forge import Forge
from ..panels import CODE
from .test_ensemble_attacked import code, reviewed, told

CONFIG = """\
reviewers:
  change: off
  callers: off
  one: {type: claude, options: {model: claude-x, key: ANTHROPIC_API_KEY}}
ensemble:
  lenses: [correctness]
  reverse_audit: {max_rounds: 0}
  cache: false
  context: {tools: true}
  budget: {calls: CALLS}
policy: {denied_paths: [private/]}
"""
# What claude does with its --mcp-config, in as few words as possible
AGENT = r"""
import re
asked = sys.stdin.read()
open(FOLDER + "/asked", "a").write(asked)
server = json.loads(sys.argv[sys.argv.index("--mcp-config") + 1])["mcpServers"]["project"]
pipe = subprocess.PIPE
child = subprocess.Popen([server["command"], *server["args"]], stdin=pipe, stdout=pipe, text=True)
for id, (name, arguments) in enumerate(CALLS):
    call = {"method": "tools/call", "params": {"name": name, "arguments": arguments}}
    child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id, **call}) + "\n")
    child.stdin.flush()
    open(FOLDER + "/said", "a").write(child.stdout.readline())
nonce = re.findall("nonce: ([0-9a-f]{32})", asked)[-1]
answer = {"nonce": nonce, "verdict": "PASS", "summary": "s", "findings": []}
whole = json.loads(ANSWER)
print(json.dumps({**whole, "result": json.dumps(answer), "num_turns": len(CALLS) + 1}))
"""
LOOK = [
    ("grep", {"text": "mean"}),
    ("show_base", {"path": "a.py", "first_line": 1}),
    ("read_file", {"path": "private/p.py", "first_line": 1}),
]
UNCHANGED = {"lib/b.py": "import a\na.mean([])\n", "private/p.py": "a.mean(secret)\n"}


@pytest.fixture
def agent(tmp_path) -> Fake:
    return Fake.make("claude", tmp_path / "agent", AGENT.replace("CALLS", repr(LOOK)))


def key(agent: Fake) -> dict[str, str]:
    return {"PATH": agent.path, "ANTHROPIC_API_KEY": "key-1"}


def prepared(repo: Repo, calls: int) -> None:
    repo.commit({".reviewgate-gh.yaml": CONFIG.replace("CALLS", str(calls))})
    repo.commit({"a.py": "x = 1\n", **UNCHANGED})
    repo.commit({"a.py": CODE})


def assert_looked_up(agent: Fake) -> None:
    said = (agent.folder / "said").read_text()
    assert "lib/b.py:2: a.mean([])" in said and "1 | x = 1" in said
    assert "private/p.py: not a file that you may read" in said and "secret" not in said
    assert "If functions are offered to you" in (agent.folder / "asked").read_text()


def test_what_an_agent_looks_up_is_answered_named_and_counted(repo: Repo, agent: Fake) -> None:
    prepared(repo, 4)
    report = reviewed(repo, env=key(agent))
    assert code(report) == 0, told(report)
    assert_looked_up(agent)
    assert "models looked up a.py, lib/b.py" in told(report)
    assert "without look-ups" not in told(report)
    [row] = [each for each in report.reviews if each.reviewer == "one"]
    assert row.asked and row.asked.usage.calls == 4


def test_an_agent_that_does_not_start_the_server_has_looked_nothing_up(repo, tmp_path) -> None:
    """It is an answer like that of a model without look-ups, and the report says so."""
    agent = Fake.make("claude", tmp_path / "agent", AGENT.replace("CALLS", "[]"))
    said = "one answered correctness without look-ups: its program did not start the gate's MCP"
    prepared(repo, 4)
    report = reviewed(repo, env=key(agent))
    assert code(report) == 0 and said in told(report), told(report)
    [row] = [each for each in report.reviews if each.reviewer == "one"]
    assert row.asked and row.asked.without_lookups


def test_an_agent_that_takes_more_calls_than_the_run_has_is_ended(repo: Repo, agent: Fake) -> None:
    prepared(repo, 3)
    report = reviewed(repo, env=key(agent))
    [row] = [each for each in report.reviews if each.reviewer == "one"]
    assert code(report) == 2 and "over the budget of 3 calls" in row.error, told(report)
    assert (agent.folder / "said").read_text().count("<data-") == 2


def test_it_looks_up_the_same_of_somebodys_pull_request(make_repo, tmp_path, agent: Fake) -> None:
    """Nothing of it is checked out, and its own configuration does not count."""
    forge = Forge(make_repo, tmp_path)
    forge.onto(
        {".reviewgate-gh.yaml": CONFIG.replace("CALLS", "9"), "a.py": "x = 1\n", **UNCHANGED}
    )
    forge.clone.git("pull", "--quiet")
    forge.clone.trust()
    forge.pull({"a.py": CODE, ".reviewgate-gh.yaml": "policy: {denied_paths: []}\n"})
    done, report = forge.review("1", env=key(agent))
    assert [each["status"] for each in report["reviews"] if each["reviewer"] == "one"] == ["ok"], (
        done.output
    )
    assert_looked_up(agent)
    assert "models looked up a.py, lib/b.py" in done.stdout
