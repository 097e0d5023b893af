"""Every GraphQL document that is sent; the tests validate each against GitHub's published schema."""

VIEWER = """\
query Viewer {
  viewer { login databaseId }
}
"""

# Numbers of comments have outgrown `databaseId`.
_COMMENTS = """\
      pageInfo { hasNextPage endCursor }
      nodes {
        id fullDatabaseId body createdAt isMinimized
        commit { oid }
        author {
          __typename login
          ... on Bot { databaseId }
          ... on Mannequin { databaseId }
          ... on Organization { databaseId }
          ... on User { databaseId }
        }
      }
"""

THREADS = f"""\
query Threads($owner: String!, $name: String!, $number: Int!, $after: String) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      reviewThreads(first: 100, after: $after) {{
        pageInfo {{ hasNextPage endCursor }}
        nodes {{
          id path line startLine diffSide isResolved isOutdated viewerCanResolve
          comments(first: 100) {{
{_COMMENTS}          }}
        }}
      }}
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
