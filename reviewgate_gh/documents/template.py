"""A template: everything that one kind of review is asked with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ..model.errors import ConfigError
from ..text.patterns import lazy_pattern

PromptBuilder = Callable[[Mapping[str, str]], str]
# The tools that a review may have; Bash for git alone
READING_TOOLS = ("Read", "Glob", "Grep", "Bash")
_PLACEHOLDER = lazy_pattern(r"\{(\w+)\}")


class TemplateValidationError(ConfigError):
    """A template's file cannot be used: which file, which line, what is wrong."""


class InputDef(Struct, frozen=True):
    """One input: an argument or option of the template's command."""

    name: str
    description: str
    default: str | None = None


class ReviewTemplate(Struct, frozen=True):
    """One kind of review. Exactly one of `prompt_template` and `prompt_builder` makes the question.

    `setting_sources` and `hooks` are the agent SDK's own; None leaves them to it.
    """

    name: str
    description: str
    system_prompt: str
    allowed_tools: Sequence[str]
    permission_mode: str
    setting_sources: Sequence[str] | None = None
    required_inputs: Sequence[InputDef] = ()
    optional_inputs: Sequence[InputDef] = ()
    hooks: Mapping[str, Any] | None = None
    prompt_template: str | None = None
    prompt_builder: PromptBuilder | None = None

    def missing(self, inputs: Mapping[str, str]) -> tuple[str, ...]:
        """The required inputs that are not given, or empty."""
        return tuple(wanted.name for wanted in self.required_inputs if not inputs.get(wanted.name))

    def completed(self, inputs: Mapping[str, str]) -> dict[str, str]:
        """The inputs that are given, and the defaults of those that are not."""
        defaults = {
            wanted.name: wanted.default
            for wanted in (*self.required_inputs, *self.optional_inputs)
            if wanted.default is not None
        }
        return {**defaults, **inputs}

    def build_prompt(self, inputs: Mapping[str, str]) -> str:
        """The question; only `{name}` of a known input is a placeholder, and an optional input that
        is not given is empty.

        Raises:
            ValueError: a required input is missing, or nothing makes the question.
        """
        if missing := self.missing(self.completed(inputs)):
            raise ValueError(f"Template '{self.name}' needs {', '.join(missing)}")
        given = self.completed(inputs)
        if self.prompt_builder is not None:
            return self.prompt_builder(given)
        if self.prompt_template is None:
            raise ValueError(
                f"Template '{self.name}' has neither prompt_template nor prompt_builder"
            )
        known = {wanted.name for wanted in (*self.required_inputs, *self.optional_inputs)}
        return _PLACEHOLDER.sub(
            lambda found: given.get(found[1], "") if found[1] in known else found[0],
            self.prompt_template,
        )
