"""The repository's contents by the API: commits, comparisons, refs, blobs, files."""

from base64 import encodebytes

from .model import Repository
from .rest_checks import commit_of
from .routes import Answer, Call, Refusal, not_found, page_of, route
from .shape_code import commit, files
from .shapes import Json, node_id

_REPO = "/repos/{owner}/{repo}"
MOST_COMPARED, MOST_BYTES, MOST_IN_TREE = 300, 1_000_000, 100_000
_KIND = {"blob": "file", "tree": "dir", "commit": "submodule"}


@route("GET", _REPO + "/commits/{ref+}", "contents=read")
def get_commit(call: Call) -> Answer:
    sha, repo = commit_of(call), call.repo
    found = repo.git.commits("", sha)[0]
    base = (
        found.parents[0]
        if found.parents
        else repo.git.run("hash-object", "-t", "tree", "--stdin").decode().strip()
    )
    if "diff" in call.request.headers.get("accept", ""):
        return Answer(
            200,
            repo.git.diff(base, sha),
            {"content-type": "application/vnd.github.v3.diff; charset=utf-8"},
        )
    rows = files(call.world, repo, repo.git.files(base, sha)[:MOST_COMPARED], sha)
    counts = {name: sum(row[name] for row in rows) for name in ("additions", "deletions")}
    stats = {**counts, "total": sum(counts.values())}
    return Answer(200, {**commit(call.world, repo, found), "stats": stats, "files": rows})


@route("GET", _REPO + "/compare/{basehead}", "contents=read")
def compare(call: Call) -> Answer:
    repo, git = call.repo, call.repo.git
    base, head = (git.commit_id(name.rpartition(":")[2]) for name in _ends(call.params["basehead"]))
    merge_base = git.merge_base(base, head) if base and head else ""
    if not merge_base:
        raise not_found()
    if "diff" in call.request.headers.get("accept", ""):
        return Answer(
            200,
            git.diff(merge_base, head),
            {"content-type": "application/vnd.github.v3.diff; charset=utf-8"},
        )
    ahead, behind = git.commits(merge_base, head), git.commits(merge_base, base)
    state = ("diverged" if behind else "ahead") if ahead else ("behind" if behind else "identical")
    size, page = page_of({"per_page": "100", **call.request.query})
    shown = [commit(call.world, repo, each) for each in ahead[(page - 1) * size : page * size]]
    counts = {
        "status": state,
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": shown,
    }
    # Only the first page has files, and 300 of them at most: nothing says that there are more.
    rows = (
        files(call.world, repo, git.files(merge_base, head)[:MOST_COMPARED], head)
        if page == 1
        else []
    )
    url, web = (
        f"{call.world.url}/repos/{repo.name}/compare/x",
        f"https://github.com/{repo.name}/compare/x",
    )
    urls = {
        "url": url,
        "html_url": web,
        "permalink_url": web,
        "diff_url": f"{web}.diff",
        "patch_url": f"{web}.patch",
    }
    bases = {
        name: commit(call.world, repo, git.commits("", sha)[0])
        for name, sha in (("base_commit", base), ("merge_base_commit", merge_base))
    }
    return Answer(
        200,
        {**urls, **bases, **counts, "files": rows},
        call.links(page, max(1, -(-len(ahead) // size))),
    )


@route("GET", _REPO + "/git/ref/{ref+}", "contents=read")
def ref(call: Call) -> Json:
    name = f"refs/{call.params['ref']}"
    sha = call.repo.git.rev(name)
    if not sha:
        raise not_found()
    url = f"{call.world.url}/repos/{call.repo.name}/git"
    kind = call.repo.git.run("cat-file", "-t", sha).decode().strip()
    at = {"type": kind, "sha": sha, "url": f"{url}/{kind}s/{sha}"}
    return {
        "ref": name,
        "node_id": node_id("REF", call.repo.id),
        "url": f"{url}/{name}",
        "object": at,
    }


@route("GET", _REPO + "/git/blobs/{sha}", "contents=read")
def blob(call: Call) -> Json:
    sha = call.params["sha"]
    if not call.repo.git.rev(f"{sha}^{{blob}}"):
        raise not_found()
    data = call.repo.git.blob(sha)
    who = {
        "sha": sha,
        "node_id": node_id("B", call.repo.id),
        "url": f"{call.world.url}/repos/{call.repo.name}/git/blobs/{sha}",
    }
    return {**who, "size": len(data), "content": encodebytes(data).decode(), "encoding": "base64"}


@route("GET", _REPO + "/git/trees/{sha}", "contents=read")
def tree(call: Call) -> Json:
    repo, sha = call.repo, call.params["sha"]
    if not repo.git.rev(f"{sha}^{{tree}}"):
        raise not_found()
    deep = ["-r", "-t"] if "recursive" in call.request.query else []  # whatever its value is
    listed = (
        repo.git.run("ls-tree", "-z", "-l", *deep, sha).decode("utf-8", "replace").split("\0")[:-1]
    )
    url = f"{call.world.url}/repos/{repo.name}/git"
    rows = [_row(url, line) for line in listed[:MOST_IN_TREE]]
    return {
        "sha": repo.git.rev(f"{sha}^{{tree}}"),
        "url": f"{url}/trees/{sha}",
        "tree": rows,
        "truncated": len(listed) > MOST_IN_TREE,
    }


def _row(url: str, line: str) -> Json:
    meta, path = line.split("\t", 1)
    mode, kind, sha, size = meta.split()
    link = {} if kind == "commit" else {"url": f"{url}/{kind}s/{sha}"}
    return {
        "path": path,
        "mode": mode,
        "type": kind,
        "sha": sha,
        **({"size": int(size)} if kind == "blob" else {}),
        **link,
    }


@route("GET", _REPO + "/contents/{path+}", "contents=read")
def contents(call: Call) -> Answer:
    repo, path = call.repo, call.params["path"].strip("/")
    sha = repo.git.commit_id(call.request.query.get("ref") or repo.default_branch)
    if not sha:
        raise Refusal(404, f"No commit found for the ref {call.request.query.get('ref')}")
    found = repo.git.entries(sha, path)
    if not found:
        raise not_found()
    _, kind, oid, name = found[0]
    if kind == "tree":
        return Answer(
            200, [_entry(call, repo, *each[1:]) for each in repo.git.entries(sha, f"{path}/")]
        )
    data = repo.git.blob(oid) if kind == "blob" else b""
    if "raw" in call.request.headers.get("accept", ""):
        return Answer(200, data, {"content-type": "application/vnd.github.raw; charset=utf-8"})
    small = len(data) <= MOST_BYTES
    text = {
        "content": encodebytes(data).decode() if small else "",
        "encoding": "base64" if small else "none",
    }
    return Answer(200, {**_entry(call, repo, kind, oid, name), "size": len(data), **text})


def _entry(call: Call, repo: Repository, kind: str, sha: str, path: str) -> Json:
    base, page = f"{call.world.url}/repos/{repo.name}", f"https://github.com/{repo.name}/blob/x"
    urls = {
        "url": f"{base}/contents/x",
        "git_url": f"{base}/git/{kind}s/{sha}",
        "html_url": page,
        "download_url": None,
    }
    links = {"self": urls["url"], "git": urls["git_url"], "html": page}
    return {
        "type": _KIND[kind],
        "name": path.split("/")[-1],
        "path": path,
        "sha": sha,
        "size": 0,
        **urls,
        "_links": links,
    }


def _ends(basehead: str) -> tuple[str, str]:
    base, dots, head = basehead.partition("...")
    if not dots:
        raise not_found()
    return base, head
