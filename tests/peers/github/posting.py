"""Making reviews and comments on a diff, with every rule that GitHub keeps."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .model import Account, Pull, Repository, Review, ReviewComment
from .placing import Unplaced, placed, settle
from .routes import Refusal, invalid, unprocessable

if TYPE_CHECKING:
    from .world import World

MOST_CHARACTERS = 65_536
_TOO_LONG = f"Body is too long (maximum is {MOST_CHARACTERS} characters)"
_STATE = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
_OWN = {
    "APPROVE": "Can not approve your own pull request",
    "REQUEST_CHANGES": "Can not request changes on your own pull request",
}
_ACTIONS_MAY_NOT = "GitHub Actions is not permitted to approve pull requests."
_ONE_PENDING = "User can only have one pending review per pull request"


def pending(repo: Repository, pull: Pull, author: Account) -> Review | None:
    """Somebody's pending review of a pull request."""
    mine = (each for each in repo.reviews if each.number == pull.number and each.author == author)
    return next((each for each in mine if each.state == "PENDING"), None)


def post_review(
    world: "World", repo: Repository, pull: Pull, author: Account, body: dict[str, Any]
) -> Review:
    """A new review with its comments; whatever is wrong with one of them refuses all."""
    if pending(repo, pull, author):
        raise unprocessable(_ONE_PENDING)
    drafts = body.get("comments") or []
    commit = _reviewed(repo, pull, body.get("commit_id") or pull.head_sha)
    event, text = body.get("event"), body.get("body") or ""
    if event:
        _may_submit(repo, pull, author, event, text, len(drafts))
    _short(text, *(str(draft.get("body")) for draft in drafts))
    made = Review(next(world.ids), pull.number, author, "PENDING", text, commit, None, world.now())
    comments = [_drafted(world, repo, pull, made, draft) for draft in drafts]
    if event:
        made.state, made.submitted = _STATE[event], world.now()
    repo.reviews.append(made)
    repo.review_comments.extend(comments)
    return made


def submit(
    world: "World", repo: Repository, pull: Pull, review: Review, body: dict[str, Any]
) -> None:
    """End a pending review with an event."""
    event, text = body.get("event"), body.get("body") or review.body
    drafts = sum(each.review == review.id for each in repo.review_comments)
    if event not in _STATE:
        raise unprocessable("Event is required")
    _may_submit(repo, pull, review.author, event, text, drafts)
    review.state, review.body, review.submitted = _STATE[event], text, world.now()


def post_comment(
    world: "World", repo: Repository, pull: Pull, author: Account, body: dict[str, Any]
) -> ReviewComment:
    """One comment on the diff, which GitHub wraps into a review of its own."""
    _alone(repo, pull, author, str(body.get("body") or ""))
    commit = _reviewed(repo, pull, body.get("commit_id") or "")
    review = _wrapper(world, pull, author, commit)
    try:
        made = _comment(world, repo, pull, review, body)
    except Unplaced as problem:
        raise invalid("PullRequestReviewComment", *_long_form(problem)) from None
    repo.reviews.append(review)
    repo.review_comments.append(made)
    return made


def post_reply(
    world: "World", repo: Repository, pull: Pull, author: Account, text: str, to: ReviewComment
) -> ReviewComment:
    """A reply to the first comment of a thread; replies to replies go there too."""
    _alone(repo, pull, author, text)
    review, now = _wrapper(world, pull, author, pull.head_sha), world.now()
    made = replace(
        to,
        id=next(world.ids),
        review=review.id,
        author=author,
        body=text,
        reply_to=to.reply_to or to.id,
    )
    made.created, made.updated, made.minimized = now, now, ""
    repo.reviews.append(review)
    repo.review_comments.append(made)
    return made


def _reviewed(repo: Repository, pull: Pull, wanted: str) -> str:
    """A review binds to a commit of the pull request: after a force-push the old ones are none."""
    commits = {each.sha for each in repo.git.commits(repo.merge_base(pull), pull.head_sha)}
    if wanted not in commits:
        raise unprocessable("Start commit oid is not part of the pull request")
    return wanted


def _may_submit(
    repo: Repository, pull: Pull, author: Account, event: str, text: str, comments: int
) -> None:
    if event in _OWN and repo.issues[pull.number].author == author:
        raise unprocessable(_OWN[event])
    if (
        event == "APPROVE"
        and author.login == "github-actions[bot]"
        and not repo.actions_may_approve
    ):
        raise unprocessable(_ACTIONS_MAY_NOT)
    if not text and (event == "REQUEST_CHANGES" or (event == "COMMENT" and not comments)):
        raise unprocessable("Review body can't be blank")


def _short(*texts: str) -> None:
    if any(len(text) > MOST_CHARACTERS for text in texts):
        raise unprocessable(_TOO_LONG)


def _alone(repo: Repository, pull: Pull, author: Account, text: str) -> None:
    if pending(repo, pull, author):
        raise invalid(
            "PullRequestReview",
            "user_id",
            "custom",
            "user_id can only have one pending review per pull request",
        )
    if not text.strip():
        raise invalid("PullRequestReviewComment", "body", "missing_field")
    if len(text) > MOST_CHARACTERS:
        raise invalid("PullRequestReviewComment", "body", "custom", _TOO_LONG)


def _wrapper(world: "World", pull: Pull, author: Account, commit: str) -> Review:
    return Review(
        next(world.ids), pull.number, author, "COMMENTED", "", commit, world.now(), world.now()
    )


def _drafted(
    world: "World", repo: Repository, pull: Pull, review: Review, draft: dict[str, Any]
) -> ReviewComment:
    try:
        return _comment(world, repo, pull, review, draft)
    except Unplaced as problem:
        raise unprocessable(problem.sentence(world.wording)) from None


def _comment(
    world: "World", repo: Repository, pull: Pull, review: Review, draft: dict[str, Any]
) -> ReviewComment:
    if "position" in draft:
        raise Refusal(422, "The fake of GitHub knows no `position`: name path, line and side")
    if not str(draft.get("body") or "").strip():
        raise unprocessable("Pull request review thread body can't be blank")
    place, shown = placed(repo, pull, review.commit_id, draft)
    made = ReviewComment(
        id=next(world.ids),
        number=pull.number,
        review=review.id,
        author=review.author,
        body=draft["body"],
        origin=place,
        origin_commit=review.commit_id,
        now=place,
        commit_id=review.commit_id,
        diff_hunk=shown,
        created=world.now(),
        updated=world.now(),
        subject=draft.get("subject_type") or "line",
    )
    return settle(repo, pull, made)


def _long_form(problem: Unplaced) -> tuple[str, str, str]:
    field, what = problem.fields[0]
    name = f"pull_request_review_thread.{field.replace(' ', '_')}"
    return name, "custom", f"{name} {what}"
