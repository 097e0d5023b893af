"""Linters of Terraform and Kubernetes: what counts of what they say about some files of a whole,
and the real tools where they are here."""

import json
from pathlib import Path
from types import ModuleType

import pytest

from reviewgate_gh.reviewers.linters import kube_linter, terraform, tflint
from tests.unit.reviewers.linters.real import ask, takes


def _weights(module: ModuleType, document: object) -> list[tuple[str, str, int, str]]:
    return [
        (f.rule, f.path, f.line_start, f.priority.value)
        for f in module.parse([json.dumps(document).encode()])
        if f.path
    ]


def _range(file: str = "a.tf") -> dict[str, object]:
    return {
        "filename": file,
        "start": {"line": 2, "column": 17, "byte": 9},
        "end": {"line": 3, "column": 1, "byte": 12},
    }


def _validated(*rows: tuple[str, str]) -> dict[str, object]:
    diagnostics = [
        {"severity": "error", "summary": summary, "detail": detail, "range": _range()}
        for summary, detail in rows
    ]
    return {"format_version": "1.0", "valid": not rows, "diagnostics": diagnostics}


SYNTAX = ("Unclosed configuration block", "There is no closing brace")
BLOCK = ("Unsupported block type", 'Blocks of type "resorce" are not expected here. Did you mean')


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        (SYNTAX, "terraform/syntax P0"),
        (("Invalid expression", "Expected the start of an expression, but"), "terraform/syntax P0"),
        (("Duplicate output definition", "An output named"), "terraform/module P1"),
        ((BLOCK[0], f'{BLOCK[1]} "resource"?'), "terraform/module P1"),
        (("Invalid type specification", 'The keyword "strin" is not'), "terraform/module P1"),
    ],
)
def test_terraform_counts_what_no_module_can_hold(row: tuple[str, str], rule: str) -> None:
    name, priority = rule.split()
    assert _weights(terraform, _validated(row)) == [(name, "a.tf", 2, priority)]


def test_what_stands_in_two_files_may_be_two_examples() -> None:
    for path, priority in (("a.tf", "P1"), ("b.tf", "P3")):
        row = ("Duplicate output definition", f'An output named "b" was defined at {path}:1,1-11.')
        assert _weights(terraform, _validated(row)) == [("terraform/module", "a.tf", 2, priority)]


@pytest.mark.parametrize(
    "row",
    [
        ("Reference to undeclared input variable", "An input variable with the name"),
        ("Module not installed", "This module is not yet installed."),
        ("Missing required provider", "This configuration requires provider"),
        ("Unsupported block type", 'Blocks of type "ephemeral" are not expected here.'),
        ("Invalid expression", "A single static variable reference is required"),
        ("Missing base resource definition to override", "There is no resource"),
        ("Variables not allowed", "Variables may not be used here."),
    ],
)
def test_nor_what_another_file_or_a_newer_terraform_would_mend(row: tuple[str, str]) -> None:
    assert _weights(terraform, _validated(row)) == []
    assert list(terraform.parse([json.dumps(_validated(row)).encode()])), "it was heard"


@pytest.mark.parametrize("module", [terraform, tflint])
def test_what_follows_from_a_missing_quote_is_told_once(module: ModuleType) -> None:
    def row(summary: str, line: int, file: str = "a.tf") -> dict[str, object]:
        place = {"filename": file, "start": {"line": line}, "end": {"line": line}}
        words = {"summary": summary, "detail": "A", "message": "A"}
        return {"severity": "error", "range": place, **words}

    rows = [row("Duplicate output definition", 1), row("Unclosed configuration block", 7)]
    rows += [row("Invalid multi-line string", 2), row("Duplicate output definition", 8)]
    rows += [row("Invalid multi-line string", 9), row("Invalid multi-line string", 5, "b.tf")]
    told = _weights(module, {"valid": False, "diagnostics": rows, "issues": [], "errors": rows})
    assert [each[1:] for each in told] == [("a.tf", 1, "P1"), ("a.tf", 2, "P0"), ("b.tf", 5, "P0")]


def test_a_terraform_that_is_too_old_for_the_module_judges_nothing() -> None:
    old = ("Unsupported Terraform Core version", "This configuration does not support")
    assert _weights(terraform, _validated(old, SYNTAX)) == []


def test_warnings_of_terraform_and_what_has_no_place_are_none() -> None:
    document = _validated(SYNTAX, SYNTAX)
    first, second = document["diagnostics"]  # type: ignore[misc]
    first["severity"], second["range"] = "warning", None
    assert _weights(terraform, document) == []


def test_tflint_stops_where_it_cannot_say_why() -> None:
    def errors(summary: str, message: str, file: str = "a.tf") -> dict[str, object]:
        row = {"summary": summary, "message": message, "severity": "error", "range": _range(file)}
        return {"issues": [], "errors": [row]}

    assert _weights(tflint, errors(*SYNTAX)) == [("tflint/syntax", "a.tf", 2, "P0")]
    wrong = errors("Duplicate output definition", "An output named")
    assert _weights(tflint, wrong) == [("tflint/module", "a.tf", 2, "P1")]
    for broken in (
        errors("x module is not found", "The module directory"),
        errors(*SYNTAX, ".tflint.hcl"),
        {"issues": [], "errors": [{"message": "Plugin `aws` not found", "severity": "error"}]},
    ):
        with pytest.raises(ValueError, match="TFLint stopped: "):
            _weights(tflint, broken)


@pytest.mark.parametrize(
    ("rule", "severity", "priority"),
    [
        ("terraform_map_duplicate_keys", "warning", "P2"),
        ("aws_instance_invalid_type", "error", "P2"),
        ("terraform_unused_declarations", "warning", "P3"),
        ("terraform_naming_convention", "info", "P3"),
    ],
)
def test_tflint_weighs_style_little(rule: str, severity: str, priority: str) -> None:
    row = {"rule": {"name": rule, "severity": severity}, "message": "m", "range": _range()}
    document = {"issues": [row], "errors": []}
    assert _weights(tflint, document) == [(f"tflint/{rule}", "a.tf", 2, priority)]


def test_settings_of_tflint_are_always_approved_first() -> None:
    assert tflint.executes(b"")


@pytest.mark.parametrize("tool", [terraform, tflint], ids=lambda tool: tool.PROGRAM)
def test_each_module_is_read_once_and_templates_are_none(tool: ModuleType) -> None:
    assert tool.folders(Path(), ["a.tf", "b/c.tf", "b/d.tf.json"]) == ["", "b"]
    assert takes(tool, "a.tf") and takes(tool, "a.tf.json")
    assert not takes(tool, "{{cookiecutter.x}}/a.tf") and not takes(tool, "a.tfvars")


BAD = {
    "does not parse": ('variable "a" {\n', "P0"),
    "JSON that does not parse": ('{"variable": }\n', "P0"),
    "a type that there is not": ('variable "a" { type = strin }\n', "P1"),
}
GOOD = (
    'module "m" { source = "./m" }\n'
    'resource "aws_instance" "x" {\n  count = var.n\n  a = local.b[0]\n}\n'
    'output "o" { value = "${aws_instance.y.id}" }\n'
)


@pytest.mark.peer
@pytest.mark.parametrize("tool", [terraform, tflint], ids=lambda tool: tool.PROGRAM)
def test_the_real_tools_read_some_files_of_a_module(tool: ModuleType, tmp_path: Path) -> None:
    for number, (what, (text, priority)) in enumerate(BAD.items()):
        name = "x b'ü.tf.json" if "JSON" in what else "x b'ü.tf"
        asked = ask(tool, tmp_path / str(number), {name: text})
        assert {(f.path, f.priority.value) for f in asked.findings if f.path} == {(name, priority)}
    good = ask(tool, tmp_path / "good", {"a.tf": GOOD, "b_override.tf": 'output "p" {}\n'})
    assert not [f for f in good.findings if f.path and f.path == "a.tf"], good


@pytest.mark.peer
def test_the_real_tflint_finds_mistakes_and_runs_no_program_of_the_project(tmp_path: Path) -> None:
    plugin = tmp_path / ".tflint.d/plugins/tflint-ruleset-terraform"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("#!/bin/sh\ntouch ran\n")
    plugin.chmod(0o755)
    text = 'output "b" {\n  value = { a = 1, a = var.c == [] }\n}\nvariable "c" {}\n'
    asked = ask(tflint, tmp_path, {"a.tf": text})
    assert asked.weights() == {
        "tflint/terraform_map_duplicate_keys": "P2",
        "tflint/terraform_empty_list_equality": "P2",
    }, asked
    assert not (tmp_path / "ran").exists()


@pytest.mark.peer
def test_the_real_terraform_runs_no_provider_of_the_project(tmp_path: Path) -> None:
    """With the folder that `init` makes it would start the programs in it."""
    provider = 'required_providers {\n    x = { source = "a/x" }\n  }'
    text = f'terraform {{\n  {provider}\n}}\nresource "x_y" "z" {{}}\n'
    folder = tmp_path / ".terraform/providers/registry.terraform.io/a/x/1.0.0/linux_amd64"
    folder.mkdir(parents=True)
    (folder / "terraform-provider-x_v1.0.0").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (folder / "terraform-provider-x_v1.0.0").chmod(0o755)
    lock = 'provider "registry.terraform.io/a/x" {\n  version = "1.0.0"\n}\n'
    asked = ask(terraform, tmp_path, {".terraform.lock.hcl": lock, "a.tf": text})
    assert not [f for f in asked.findings if f.path] and not (tmp_path / "ran").exists(), asked


def _object(check: str, message: str, name: str = "web") -> dict[str, object]:
    kind = {"Group": "apps", "Version": "v1", "Kind": "Deployment"}
    return {
        "Diagnostic": {"Message": message},
        "Check": check,
        "Remediation": "Do so.",
        "Object": {
            "Metadata": {"FilePath": "/r/a.yaml"},
            "K8sObject": {"Namespace": "", "Name": name, "GroupVersionKind": kind},
        },
    }


def test_kube_linter_counts_what_a_cluster_refuses_and_passes_over_patches() -> None:
    rows = [
        _object("mismatching-selector", "labels in pod spec (map[]) do not match labels"),
        _object("mismatching-selector", "object has no selector specified"),
        _object("no-read-only-root-fs", 'container "web" does not have a read-only root'),
    ]
    assert _weights(kube_linter, {"Checks": [], "Reports": rows, "Summary": {}}) == [
        ("kube-linter/mismatching-selector", "/r/a.yaml", 1, "P2"),
        ("kube-linter/no-read-only-root-fs", "/r/a.yaml", 1, "P3"),
    ]
    assert _weights(kube_linter, {"Reports": None}) == []


MANIFEST = b"""# of the shop
kind: Service
metadata:
  name: web
---
apiVersion: apps/v1
kind: "Deployment"
metadata:
  name: data
---
kind: Deployment
metadata:
  labels: {}
  name: 'web'
"""


@pytest.mark.parametrize(("name", "line"), [("data", 7), ("web", 11), ("other", 1)])
def test_what_kube_linter_says_is_found_at_the_object(name: str, line: int) -> None:
    document = {"Reports": [_object("duplicate-env-var", "Duplicate A", name)]}
    (found,) = kube_linter.parse([json.dumps(document).encode()])
    assert kube_linter.relocate(found, lambda: MANIFEST).line_start == line


@pytest.mark.peer
def test_the_real_kube_linter_finds_a_selector_that_fits_nothing(tmp_path: Path) -> None:
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n"
        "    metadata: {labels: {app: wbe}}\n    spec: {containers: [{name: a, image: b}]}\n"
    )
    asked = ask(kube_linter, tmp_path, {"a.yaml": text, "values.yaml": "a: {{ b }}\n"})
    assert asked.weights() == {"kube-linter/mismatching-selector": "P2"}, asked
