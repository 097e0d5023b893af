"""What a model without tools answers to a template: the object that was asked for, or plain Markdown that finds something."""

from ..steps.answer import NoJson, read_prose
from ..templates.parser import parse_review_output
from ..templates.result import Severity, Verdict

_OTHER_FORM = "the answer is not one JSON object, as the question asks for"


def read_markdown(text: str, nonce: str) -> str:
    """The Markdown of a review. Without the object it can report problems but not pass, which takes this run's nonce.

    Raises:
        ValueError: it holds none, or that of another run; the message gives one reason.
    """
    try:
        return read_prose(text, nonce)
    except NoJson:
        if _finds_fault(text):
            return text
        raise ValueError(_OTHER_FORM) from None


def _finds_fault(text: str) -> bool:
    result = parse_review_output(text, "", {})
    return result.verdict in (Verdict.CONCERNS, Verdict.FAIL) or any(found.severity is not Severity.PASS for found in result.findings)
