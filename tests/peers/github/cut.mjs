// GitHub's own description of its REST API, cut to the paths that are used: `node cut.mjs NODE_MODULES` prints it. The whole one
// takes Prism 25 s and 512 MB to read. What is changed besides is where the description is narrower than GitHub is:
//   - media types: GitHub answers `application/vnd.github+json` and `...v3+json` as it answers `application/json`;
//   - `diff`, `raw` and the like are text that the description names in words only;
//   - `line`, `start_line` and `position` of an outdated comment are null; conclusions `stale` and `startup_failure` occur in check
//     runs, and a reader must survive a word that is new, so the two enums of an answer are plain strings. Requests stay strict;
//   - `nullable` beside a choice says the same with another word: Prism judges nothing by a schema that it cannot compile, and is
//     silent about it (tests/unit/peers/test_github_referee.py asks it about every operation).
import { readFileSync } from "node:fs";
import { join } from "node:path";

const REPO = "/repos/{owner}/{repo}";
const PULL = `${REPO}/pulls/{pull_number}`;
const ISSUE = `${REPO}/issues/{issue_number}`;
const PATHS = [
  "/rate_limit", "/user", "/search/issues", REPO,
  `${REPO}/pulls`, PULL, `${PULL}/files`, `${PULL}/commits`,
  `${PULL}/reviews`, `${PULL}/reviews/{review_id}`, `${PULL}/reviews/{review_id}/comments`,
  `${PULL}/reviews/{review_id}/dismissals`, `${PULL}/reviews/{review_id}/events`,
  `${PULL}/comments`, `${PULL}/comments/{comment_id}/replies`, `${REPO}/pulls/comments/{comment_id}`,
  `${REPO}/issues`, ISSUE, `${ISSUE}/comments`, `${ISSUE}/labels`, `${ISSUE}/labels/{name}`, `${ISSUE}/sub_issue`, `${ISSUE}/sub_issues`,
  `${REPO}/issues/comments/{comment_id}`, `${REPO}/issues/comments/{comment_id}/reactions`,
  `${REPO}/issues/comments/{comment_id}/reactions/{reaction_id}`,
  `${REPO}/labels`, `${REPO}/labels/{name}`,
  `${REPO}/commits/{ref}`, `${REPO}/commits/{ref}/check-runs`, `${REPO}/commits/{ref}/check-suites`,
  `${REPO}/commits/{ref}/status`, `${REPO}/commits/{ref}/statuses`, `${REPO}/commits/{commit_sha}/pulls`, `${REPO}/statuses/{sha}`,
  `${REPO}/check-runs`, `${REPO}/check-runs/{check_run_id}`, `${REPO}/check-runs/{check_run_id}/annotations`,
  `${REPO}/branches/{branch}`, `${REPO}/branches/{branch}/protection/required_status_checks`, `${REPO}/rules/branches/{branch}`,
  `${REPO}/collaborators/{username}/permission`, `${REPO}/actions/runs/{run_id}`, `${REPO}/actions/jobs/{job_id}/logs`,
  `${REPO}/git/ref/{ref}`, `${REPO}/git/blobs/{file_sha}`, `${REPO}/git/trees/{tree_sha}`, `${REPO}/contents/{path}`, `${REPO}/compare/{basehead}`,
];
const JSON_TYPES = ["application/vnd.github+json", "application/vnd.github.v3+json"];
const TEXT_TYPES = ["application/vnd.github.v3.diff", "application/vnd.github.raw"];

const file = join(process.argv[2], "@octokit/openapi/generated/api.github.com.json");
const whole = JSON.parse(readFileSync(file, "utf8"));
const cut = { openapi: whole.openapi, info: whole.info, paths: {}, components: {} };

function keep(node) {
  if (Array.isArray(node)) return node.forEach(keep);
  if (!node || typeof node !== "object") return;
  delete node.examples;
  const choice = node.oneOf ?? node.anyOf;
  if (node.nullable === true && !node.type && choice) {
    delete node.nullable;
    choice.push({ type: "string", nullable: true, enum: [] }); // Prism adds null to the words
  }
  if (node.content?.["application/json"]) for (const type of JSON_TYPES) node.content[type] ??= node.content["application/json"];
  if (typeof node.$ref === "string") {
    const [, , kind, name] = node.$ref.split("/");
    const held = (cut.components[kind] ??= {});
    if (!(name in held)) keep((held[name] = whole.components[kind][name]));
  }
  Object.values(node).forEach(keep);
}

for (const path of PATHS) {
  if (!whole.paths[path]) throw new Error(`GitHub's description has no ${path}`);
  keep((cut.paths[path] = whole.paths[path]));
}
for (const path of [PULL, `${REPO}/commits/{ref}`, `${REPO}/compare/{basehead}`, `${REPO}/contents/{path}`]) {
  const { content } = cut.paths[path].get.responses["200"];
  for (const type of TEXT_TYPES) content[type] = { schema: { type: "string" } };
}
const schemas = cut.components.schemas;
for (const name of ["review-comment", "pull-request-review-comment"]) {
  for (const field of ["line", "start_line", "position", "original_line", "original_start_line", "start_side"]) {
    schemas[name].properties[field].nullable = true;
  }
}
for (const field of ["status", "conclusion"]) {
  for (const name of ["check-run", "check-suite"]) delete schemas[name].properties[field].enum;
}
process.stdout.write(JSON.stringify(cut));
