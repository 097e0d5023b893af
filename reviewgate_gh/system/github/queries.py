"""Every GraphQL document that is sent; the tests validate each against GitHub's published schema."""

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
        id fullDatabaseId body createdAt isMinimized minimizedReason
        commit {{ oid }}
        author {{
{_AUTHOR}        }}
      }}
"""

_THREADS = f"""\
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id path line startLine diffSide isResolved isOutdated viewerCanResolve
          resolvedBy {{ databaseId }}
          comments(first: 100) {{
{_COMMENTS}          }}
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

STANDING = f"""\
query Standing($owner: String!, $name: String!, $number: Int!, $threads: String, $reviews: String) {{
  viewer {{ login databaseId }}
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      headRefOid
      reviewThreads(first: 100, after: $threads) {{
{_THREADS}      }}
      reviews(first: 100, after: $reviews) {{
{_REVIEWS}      }}
    }}
  }}
}}
"""

LATEST = f"""\
query Latest($owner: String!, $name: String!, $number: Int!) {{
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
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: 100, after: $after) {{
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

RULES = """\
query Rules($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $branch) { rules(first: 1) { totalCount } }
  }
}
"""

RESOLVE = """\
mutation Resolve($thread: ID!) {
  resolveReviewThread(input: {threadId: $thread}) { thread { isResolved } }
}
"""

MINIMIZE = """\
mutation Minimize($comment: ID!, $reason: ReportedContentClassifiers!) {
  minimizeComment(input: {subjectId: $comment, classifier: $reason}) { minimizedComment { isMinimized } }
}
"""

UNRESOLVE = """\
mutation Unresolve($thread: ID!) {
  unresolveReviewThread(input: {threadId: $thread}) { thread { isResolved } }
}
"""

UNMINIMIZE = """\
mutation Unminimize($comment: ID!) {
  unminimizeComment(input: {subjectId: $comment}) { unminimizedComment { isMinimized } }
}
"""
