"""Search for issues and pull requests; at once, where the real one lags behind."""

import re

from .model import Issue, Repository
from .routes import Answer, Call, Refusal, invalid, route
from .shape_talk import issue


@route("GET", "/search/issues", "")
def search(call: Call) -> Answer:
    words = [
        (key, quoted or bare)
        for key, quoted, bare in re.findall(
            r'(?:([\w-]+):)?(?:"([^"]*)"|(\S+))', call.request.query.get("q", "")
        )
    ]
    if not {
        ("is", "issue"),
        ("is", "pull-request"),
        ("is", "pr"),
        ("type", "issue"),
        ("type", "pr"),
    } & set(words):
        raise invalid(
            "Search", "q", "invalid", "Query must include 'is:issue' or 'is:pull-request'"
        )
    found = []
    for repo in call.repos.values():
        shown = not repo.private or call.token is not None
        found += [
            (repo, each)
            for each in reversed(repo.issues.values())
            if shown and all(_matches(repo, each, *word) for word in words)
        ]
    answer = call.paged(
        found,
        lambda pair: {**issue(call.world, *pair), "body": pair[1].body, "score": 1.0},
        wrap="items",
    )
    answer.body |= {"incomplete_results": False, "search_type": "lexical"}
    return answer


def _matches(repo: Repository, each: Issue, key: str, word: str) -> bool:
    pull = each.number in repo.pulls
    known = {
        "repo": repo.name.lower() == word.lower(),
        "is": {"issue": not pull, "pr": pull, "pull-request": pull}.get(word, each.state == word),
        "type": pull == (word == "pr"),
        "state": each.state == word,
        "label": word in each.labels,
        "author": each.author.login
        == word.replace("app/", "") + ("[bot]" if word.startswith("app/") else ""),
        "in": True,
    }
    if key and key not in known:
        raise Refusal(422, f"The fake of GitHub does not model the search qualifier {key}:")
    return known[key] if key else word.lower() in f"{each.title}\n{each.body}".lower()
