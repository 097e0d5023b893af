"""The templates that there are, by name: the built-in ones and those that were added."""

from ..system import plugins
from .loader import read_template
from .schema import ReviewTemplate

_OURS = "templates/builtin"
_TEMPLATES: dict[str, ReviewTemplate] = {}


def register_template(template: ReviewTemplate) -> None:
    """Add a template; the last one of a name counts."""
    _TEMPLATES[template.name] = template


def get_template(name: str) -> ReviewTemplate | None:
    """The template of that name, None where there is none."""
    return _TEMPLATES.get(name)


def list_templates() -> list[ReviewTemplate]:
    """All of them, by name."""
    return [_TEMPLATES[name] for name in sorted(_TEMPLATES)]


def load_builtin_templates() -> None:
    """Register every template that comes with us.

    Raises:
        TemplateValidationError: one of them is damaged.
    """
    for name in plugins.data_names(_OURS):
        register_template(read_template(plugins.data(_OURS, name), f"{name}.yaml"))
