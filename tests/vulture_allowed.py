"""Names that nothing in the package uses, and why each stays: `vulture` reads this file as code
that uses them."""

# ruff: noqa: B018, F821 - nothing here is run

# Library functions that the specification and the documents name; other programs call them.
has_failures, concern_count, load_template, get_template, list_templates, load_builtin_templates
get_diff_content, retry_prompt, review_session, range_since, review_context

# Writes docs/report.schema.json, in the tests.
report_schema

# The interfaces of plug-ins: modules fill them, which is checked where they are loaded.
TrackerPlugin, ReviewerPlugin, ModelPlugin, LinterPlugin

# Read by their names in data: a report's JSON, a bench's, the triggers of a config, what
# tools return to agents.
schema_version, output_tokens, run_end, periodic, may_push, is_present

# Called or read by libraries: click, requests, PyGithub, the agent SDK, Python, markdown-it.
(
    getheaders,
    getresponse,
    get_command,
    format_commands,
    auth,
    on_failure,
    unraisablehook,
    validateLink,
)

# Kept alive as long as what holds it; named in an annotation that is a string.
_shell, Token, Field
