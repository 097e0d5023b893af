"""The GraphQL queries that are sent, and the errors of an answer with status 200."""

from typing import Any

from .reading import Forbidden, JsonPart, NotFound, Refused

_LIMITED = "RATE_LIMITED"
_DENIED = {"FORBIDDEN", "INSUFFICIENT_SCOPES"}
_LONGEST = 300


def is_rate_limited(data: Any) -> bool:
    """An answer says that the rate limit is reached; then nothing was done."""
    return any(each.get("type") == _LIMITED for each in _errors(data))


def is_server_error(data: Any) -> bool:
    """An answer says that GitHub itself failed: such an error has no type, and no place in the
    document."""
    return any(
        not {"type", "locations", "path", "extensions"} & set(each) for each in _errors(data)
    )


def checked(answer: JsonPart) -> JsonPart:
    """The answer itself; with errors it may lack anything and counts as refused.

    Raises:
        Refused: there are errors.
    """
    errors = answer.items("errors") if answer.maybe("errors") else []
    if not errors:
        return answer
    kinds, said = (
        {each.optional("type") for each in errors},
        tuple(each.optional("message") for each in errors),
    )
    message = f"GitHub refused {answer.where}: {'; '.join(said)[:_LONGEST]}"
    if kinds & _DENIED:
        raise Forbidden(
            message,
            "the token does not allow this: check its permissions",
            status=200,
            reason="; ".join(said),
        )
    if kinds == {"NOT_FOUND"}:
        raise NotFound(
            message, "it does not exist, or this token cannot see it", status=200, errors=said
        )
    raise Refused(message, status=200, errors=said)


def _errors(data: Any) -> list[dict[str, Any]]:
    errors = data.get("errors") if isinstance(data, dict) else None
    return [each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else []


VIEWER = """\
query Viewer {
  viewer { login databaseId }
}
"""

_AUTHOR = """\
          __typename login
          ... on Bot { databaseId }
          ... on Mannequin { databaseId }
          ... on Organization { databaseId }
          ... on User { databaseId }
"""

# Numbers of comments and reviews have outgrown `databaseId`.
_COMMENTS = f"""\
      pageInfo {{ hasNextPage endCursor }}
      nodes {{
        id fullDatabaseId body isMinimized minimizedReason createdAt lastEditedAt
        commit {{ oid }}
        author {{
{_AUTHOR}        }}
      }}
"""

_THREADS = f"""\
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id path line startLine diffSide isResolved viewerCanResolve
          resolvedBy {{ databaseId }}
          comments(first: $size) {{
{_COMMENTS}          }}
        }}
"""

_CONVERSATION = f"""\
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          fullDatabaseId body createdAt lastEditedAt
          author {{
{_AUTHOR}          }}
        }}
"""

_REVIEWS = f"""\
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id fullDatabaseId body state submittedAt isMinimized
          commit {{ oid }}
          author {{
{_AUTHOR}          }}
        }}
"""

SNAPSHOT = f"""\
query Standing(
  $owner: String!, $name: String!, $number: Int!, $threads: String, $reviews: String,
  $comments: String, $size: Int = 100
) {{
  viewer {{ login databaseId }}
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      headRefOid
      reviewThreads(first: 100, after: $threads) {{
{_THREADS}      }}
      reviews(first: 100, after: $reviews) {{
{_REVIEWS}      }}
      comments(first: 100, after: $comments) {{
{_CONVERSATION}      }}
    }}
  }}
}}
"""

RECENT_SNAPSHOT = f"""\
query Latest($owner: String!, $name: String!, $number: Int!, $size: Int = 100) {{
  viewer {{ login databaseId }}
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      headRefOid
      reviewThreads(last: 100) {{
{_THREADS}      }}
      reviews(last: 100) {{
{_REVIEWS}      }}
    }}
  }}
}}
"""

THREADS = f"""\
query Threads(
  $owner: String!, $name: String!, $number: Int!, $after: String, $size: Int = 100
) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: $size, after: $after) {{
{_THREADS}      }}
    }}
  }}
}}
"""

THREAD_COMMENTS = f"""\
query ThreadComments($thread: ID!, $after: String) {{
  node(id: $thread) {{
    ... on PullRequestReviewThread {{
      comments(first: 100, after: $after) {{
{_COMMENTS}      }}
    }}
  }}
}}
"""

CLOSED_ISSUES = """\
query Closed($owner: String!, $name: String!, $number: Int!, $most: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      title body
      closingIssuesReferences(first: $most) {
        nodes { number title body repository { nameWithOwner } }
      }
    }
  }
}
"""

LAST_LOOK = """\
query LastLook(
  $owner: String!, $name: String!, $number: Int!, $branch: String!, $merge: GitObjectID!,
  $checks: Boolean!
) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $branch) { rules(first: 1) { totalCount } }
    object(oid: $merge) @include(if: $checks) {
      ... on Commit { oid statusCheckRollup { state } }
    }
    pullRequest(number: $number) { headRefOid state isDraft }
  }
}
"""
