"""What of a workflow checks and linters both need to know."""

import re

# Runs with the rights of the repository for what strangers send; `pull_request` of a fork only
# reads. https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
_FOR_STRANGERS = re.compile(
    rb"\b(?:pull_request_target|workflow_run|workflow_call|issue_comment|issues|discussion\w*"
    rb"|pull_request_review\w*|fork|watch)\b"
)


def is_for_strangers(data: bytes) -> bool:
    """Somebody without rights may start the workflow, and it then has those of the repository."""
    return _FOR_STRANGERS.search(data) is not None
