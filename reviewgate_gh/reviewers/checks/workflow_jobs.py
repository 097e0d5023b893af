"""Jobs of a GitHub workflow that wait for a job which there is not: GitHub then runs none of them.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idneeds
"""

from collections.abc import Iterator

from ...model.change import FileDiff
from ...model.finding import Finding, Priority
from ...text.visible import show_hidden
from ._sources import CheckInput, content_at_base, shown_line_number
from ._workflows import missing_needs

WANTS = ("*.yml", "*.yaml")
EVERY_FILE = False
_LONGEST = 60


def check(sources: CheckInput) -> Iterator[Finding]:
    """One finding a name that stands for no job, where the base had none such."""
    for file in sources.change.files:
        data = sources.contents.get(file.path)
        if data is None or not file.is_text_file or not file.path.startswith(".github/workflows/"):
            continue
        missing = missing_needs(data)
        old = missing_needs(content_at_base(file, data)) if missing and file.status != "A" else {}
        for (job, need), line in missing.items():
            if (job, need) not in old:
                yield _finding(file, job, need, shown_line_number(file, line))


def _finding(file: FileDiff, job: str, need: str, line: int) -> Finding:
    need, job = (show_hidden(name[:_LONGEST]) for name in (need, job))
    return Finding(
        Priority.P1,
        "correctness",
        "builtin/workflow-needs",
        file.path,
        line,
        line,
        f"`{job}` waits for `{need}`, and no job has that name",
        "GitHub refuses the whole workflow, so that no job runs. Correct the name, or add the job.",
    )
