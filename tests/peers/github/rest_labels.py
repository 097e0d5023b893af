"""Labels, of a repository and of an issue."""

from .model import Issue, Label
from .rest_issues import ISSUE, READ, REPO, WRITE, one
from .routes import Answer, Call, Refusal, invalid, not_found, route
from .shapes import Json, label
from .talk import set_labels


@route("GET", REPO + "/labels", READ)
def labels(call: Call) -> Answer:
    return call.paged(
        list(call.repo.labels.values()), lambda each: label(call.world, call.repo, each)
    )


@route("POST", REPO + "/labels", WRITE, creates=True)
def make_label(call: Call) -> Json:
    body = call.json()
    if body["name"] in call.repo.labels:
        raise invalid("Label", "name", "already_exists")
    made = Label(
        next(call.world.ids),
        body["name"],
        body.get("color") or "ededed",
        body.get("description") or "",
    )
    call.repo.labels[made.name] = made
    return label(call.world, call.repo, made)


@route("GET", REPO + "/labels/{name}", READ)
def get_label(call: Call) -> Json:
    if call.params["name"] not in call.repo.labels:
        raise not_found()
    return label(call.world, call.repo, call.repo.labels[call.params["name"]])


def _labels_of(call: Call, found: Issue) -> list[Json]:
    return [label(call.world, call.repo, call.repo.labels[name]) for name in found.labels]


@route("GET", ISSUE + "/labels", READ)
def issue_labels(call: Call) -> Answer:
    return Answer(200, _labels_of(call, one(call)))


@route("POST", ISSUE + "/labels", WRITE)
def add_labels(call: Call) -> Answer:
    found = one(call)
    set_labels(call.world, call.repo, found, [*found.labels, *call.json().get("labels", [])])
    return Answer(200, _labels_of(call, found))


@route("DELETE", ISSUE + "/labels/{name}", WRITE)
def remove_label(call: Call) -> Answer:
    found = one(call)
    if call.params["name"] not in found.labels:
        raise Refusal(404, "Label does not exist")
    found.labels.remove(call.params["name"])
    return Answer(200, _labels_of(call, found))
