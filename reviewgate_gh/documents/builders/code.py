"""The question of the `code` template."""

from collections.abc import Mapping


def code_review_prompt(inputs: Mapping[str, str]) -> str:
    """What to look at: a diff, the files of a pattern, both together, or whatever the reviewer
    finds in the project."""
    diff, files = inputs.get("diff", ""), inputs.get("files", "")
    parts = [f"Review code of the project in {inputs.get('cwd') or '.'}."]
    if diff:
        parts.append(
            f"Run `git diff {diff}` to see what has changed, then review the changed files; "
            "unchanged code is context only."
        )
    if files:
        parts.append(
            f"{'Of these, review' if diff else 'Review'} only files that match the pattern: {files}"
        )
    if not diff and not files:
        parts.append(
            "Survey the project with Glob and Grep, and review what needs it most. Say which "
            "files you read."
        )
    parts.append("Then report in the format that your instructions define.")
    return "\n\n".join(parts) + "\n"
