"""A GitHub for the tests: stateful, aware of diffs, strict, on loopback.

    product -> front.py (journal, faults, ETags) -> world.py (the state) -> a real git repository
                                                       \\-> /graphql: graphql_engine.py executes
                                                       documents on schema.graphql

It needs Python only. With `pytest --referee`, and what tests/peers/install.sh installs, GitHub's
own descriptions judge both sides: between front and world stands Prism (prism.py), and documents
are executed on GitHub's whole published schema.

What it models, each rule in the file that is named for it:

- Diffs, files, patches, commits, comparisons and merge bases come from git. A comment outside the
  diff refuses the whole review with 422 without naming the comment. When the head moves, comments
  follow their line or become outdated; a force-push re-points reviews.
- A review is submitted in one piece; one pending review refuses every other write of its author;
  nobody approves or requests changes on his own pull request; GitHub Actions approves only where
  that is switched on; bodies end at 65,536 characters; a commit that is not of the pull request is
  refused.
- Check runs (latest and all), suites, statuses, required checks by protection and by rulesets; 50
  annotations a request.
- Issues, labels, search, conversation comments.
- Tokens with permissions: 403 with `x-accepted-github-permissions`, 404 without a token, 401 for a
  bad one, `GET /user` refused to installations. Hourly and secondary limits. Pages with Link, 406
  for large diffs, patches that are silently left out.
- GraphQL queries of pull requests, threads, reviews, check states and the rules of a branch, five
  mutations; FORBIDDEN where the token may not. A field that the schema knows and the fake does not
  model is an error, never null.
- The faults of faults.py, before or after GitHub has stored something.

What it cannot: it is ours, so where the published description and schema are silent it says what
public reports and the documentation say, not what GitHub was seen to do. That holds above all for
"line outside the diff", for the wording of refusals, for which comments become outdated, and for
review ids beyond 32 bits (`databaseId` is null then). Nothing lags: search finds at once, merges
are computed at once. Not modelled: teams, merges, reactions to anything but comments of a
conversation, timelines, artifacts, webhooks, the
position of a comment instead of its line.
"""
