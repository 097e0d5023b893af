"""How many stale uses of a changed definition are in what a model is sent: printed, not asserted.

`REVIEWGATE_GH_DATA` names the folder with missed-caller-dev.jsonl (`REVIEWGATE_GH_CASES`: another
file of the same form), `REVIEWGATE_GH_MIRRORS` one with bare repositories (OWNER+NAME/repo). A case
is a commit that repairs a use of what it changes, without that repair.
"""

import json
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reviewgate_gh.ensemble.context_pack import PackSources, build_pack
from reviewgate_gh.ensemble.excerpts import ContextPack
from reviewgate_gh.ensemble.prompt import estimate_tokens
from reviewgate_gh.git import open_repository
from reviewgate_gh.model.change import Range
from reviewgate_gh.settings.change import start_loading
from reviewgate_gh.system.environment import Environment
from tests.bench.test_callers import borrowed, faulty, mirror

pytestmark = pytest.mark.bench
TOKENS = (1000, 2000, 4000)
CASES = os.environ.get("REVIEWGATE_GH_CASES", "")


def cases(data: Path) -> Iterator[Mapping[str, Any]]:
    file = Path(CASES) if CASES else data / "missed-caller-dev.jsonl"
    for line in file.read_text().splitlines():
        case = json.loads(line)
        if mirror(case["repo"]).exists():
            yield case


def pack(place: Path, base: str, head: str, tokens: int) -> ContextPack:
    environment = Environment({**os.environ}, place)
    git = open_repository(place, environment.variables, itself=True)
    change = start_loading(git, Range(base, head), environment, trusted=True).complete()
    return build_pack(PackSources(git, change), tokens)


def shown(found: ContextPack) -> set[str]:
    return {f"{path}:{line}" for path, line in found.causes}


def test_stale_uses_are_in_the_pack(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, seconds, used = defaultdict[Any, list[bool]](list), list[float](), list[int]()
    missed = []
    for case in cases(data):
        place = borrowed(mirror(case["repo"]), tmp_path / case["repo"].replace("/", "+"))
        head = faulty(place, case)
        for tokens in TOKENS:
            began = time.perf_counter()
            one = pack(place, case["base"], head, tokens)
            seconds.append(time.perf_counter() - began)
            size = estimate_tokens(one.text)
            assert size <= tokens
            used.append(size if tokens == 2000 else 0)
            hit = not shown(one).isdisjoint({*case["stale"], *case["also_stale"]})
            for row in (case["kind"], case["language"], "all"):
                found[row, tokens].append(hit)
            if tokens == 2000 and not hit:
                missed.append(f"{case['id']} {case['repo']} {case['kind']} {case['symbol']}")
    if not seconds:
        pytest.skip("REVIEWGATE_GH_MIRRORS names no folder with these repositories")
    with capsys.disabled():
        print("\n" + " " * 18 + "".join(f"{tokens:>9,}" for tokens in TOKENS) + "  cases")
        for row in dict.fromkeys(row for row, _tokens in found):
            hits = [found[row, tokens] for tokens in TOKENS]
            shares = "".join(f"{sum(each) / len(each):>9.0%}" for each in hits)
            print(f"{row:18}{shares}{len(hits[0]):>7}")
        sizes = [size for size in used if size]
        print(f"tokens used of 2,000: median {statistics.median(sizes or [0]):,.0f}")
        print(f"seconds: median {statistics.median(seconds):.2f}, most {max(seconds):.1f}")
        print("not shown within 2,000 tokens:", *missed, sep="\n  ")
