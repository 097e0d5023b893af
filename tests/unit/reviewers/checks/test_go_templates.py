"""Templates of Go whose blocks and actions do not match."""

import pytest

from reviewgate_gh.reviewers.checks import go_templates
from tests.unit.reviewers.checks.support import edited, on, short, sources

PATH = "chart/templates/a.yaml"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n{{- if .Values.a }}\nb\n", 2),
        ("{{ if .a }}\n{{ range .b }}\n{{ end }}\n", 1),
        ("{{ if .a }}\n{{ end }}\n{{- end }}\n", 3),
        ("{{ include `a` . }}\n{{ else }}\n", 2),
        ('{{ define "a" }}\n{{ with .b }}\n{{ end }}', 1),
        ("{{ if .a }}\n{{ end }\n", 2),
        ("{{ include `a` . }}\n{{/* if\n", 2),
        ('{{ if .a }}\n{{ eq .a "b }}\n{{ end }}\n', 2),
        ("{{ if .a }}\n{{ eq .a `b }}\n{{ end }}\n", 2),
    ],
)
def test_what_does_not_match(text: str, line: int) -> None:
    assert on(go_templates, PATH, text) == [("P1", "go-template", f"{PATH}:{line}")]
    assert on(go_templates, "tests/templates/a.yaml", text) == []
    assert on(go_templates, "a.yaml", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "{{- if .a -}}\n{{ else if .b }}\n{{ else }}\n{{- end -}}\n",
        '{{ if eq .a "}}" }}{{ end }}',
        "{{ if .a }}{{ `{{ if .b }}` }}{{ '}' }}{{end}}",
        "{{/* {{ if .a }} */}}{{ template `a` . }}",
        "{{- /* if */ -}}{{ template `a` . }}",
        '{{ block "a" . }}{{ range $i, $e := .b }}{{ break }}{{ end }}{{ end }}',
        "{{ if .a }}{{ .end }}{{ endpoint }}{{ end }}",
        "{{ end }}",
        "{{ if .a }}{{- with.b }}{{ end }}{{ end }}",
        "{% if a %}{{ if b }}",
        "{{#if a}}{{ if .b }}",
        "- ${{ if eq(a, b) }}:\n",
    ],
)
def test_what_matches_or_is_of_another_engine(text: str) -> None:
    assert on(go_templates, PATH, text) == []


def test_what_was_so_before_is_no_doing_of_the_change() -> None:
    text = "{{ if .a }}\nb\n"
    assert (
        short(go_templates, sources(edited(PATH, "-b ", "+b", start=2), contents={PATH: text}))
        == []
    )
