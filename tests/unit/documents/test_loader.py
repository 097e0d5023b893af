"""Templates from YAML, and the questions that they make."""

import sys
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from reviewgate_gh.documents.builders import code_review_prompt
from reviewgate_gh.documents.builders.code import code_review_prompt as the_same
from reviewgate_gh.documents.loader import load_template, read_template, template_summary
from reviewgate_gh.documents.registry import (
    get_template,
    list_templates,
    load_builtin_templates,
    register_template,
)
from reviewgate_gh.documents.template import InputDef, ReviewTemplate, TemplateValidationError
from tests.support import ROOT, run

WHOLE = {
    "name": "mine",
    "description": "Mine",
    "system_prompt": "You review.",
    "allowed_tools": ["Read"],
    "permission_mode": "default",
    "prompt_template": "Look at {input}.",
    "inputs": {
        "required": [{"name": "input", "description": "What"}],
        "optional": [{"name": "cwd", "description": "Where", "default": "."}],
    },
}
NEEDED = ("name", "description", "system_prompt", "allowed_tools", "permission_mode")
BUILDER = "reviewgate_gh.documents.builders.code_review_prompt"


def read(**changes) -> ReviewTemplate:
    return read_template(
        yaml.safe_dump(
            {key: value for key, value in {**WHOLE, **changes}.items() if value is not ...}
        ).encode(),
        "mine.yaml",
    )


def refused(**changes) -> str:
    with pytest.raises(TemplateValidationError) as caught:
        read(**changes)
    assert caught.value.hint and caught.value.exit == 78
    return caught.value.message


@pytest.mark.req("R004-008", "R004-010", "R004-019")
def test_every_key_of_the_file_is_a_field():
    made = read(setting_sources=["project"])
    assert (made.name, made.description, made.system_prompt, made.permission_mode) == (
        "mine",
        "Mine",
        "You review.",
        "default",
    )
    assert (made.allowed_tools, made.setting_sources) == (("Read",), ("project",))
    assert made.required_inputs == (InputDef("input", "What"),) and made.optional_inputs == (
        InputDef("cwd", "Where", "."),
    )
    assert made.required_inputs[0].default is None
    assert (made.prompt_template, made.prompt_builder) == ("Look at {input}.", None)


@pytest.mark.req("R004-019", "R004-020")
def test_inputs_sources_and_hooks_may_be_absent():
    made = read(inputs=..., prompt_template="Look.")
    assert (made.required_inputs, made.optional_inputs, made.setting_sources, made.hooks) == (
        (),
        (),
        None,
        None,
    )
    assert read(inputs={"required": []}, prompt_template="x").optional_inputs == ()


@pytest.mark.req("R004-013")
@pytest.mark.parametrize(
    "text",
    ["!!python/object/apply:os.getcwd []", "name: !!python/name:os.system ''", "name: !mine x"],
)
def test_yaml_makes_no_objects(text):
    with pytest.raises(TemplateValidationError, match="not valid YAML"):
        read_template(text.encode(), "mine.yaml")


@pytest.mark.req("R004-014", "R004-015")
def test_exactly_one_thing_makes_the_question():
    assert (
        "exactly one of prompt_template and prompt_builder must be given; both are there"
        in refused(prompt_builder=BUILDER)
    )
    assert (
        "exactly one of prompt_template and prompt_builder must be given; neither is there"
        in refused(prompt_template=...)
    )


@pytest.mark.req("R004-018")
@pytest.mark.parametrize("key", NEEDED)
def test_a_missing_key_is_named(key):
    assert refused(**{key: ...}) == f"mine.yaml: {key}: this key is missing"


def test_a_wrong_value_is_named_with_its_line():
    lines = yaml.safe_dump({**WHOLE, "allowed_tools": "Read"}).splitlines()
    number = next(at for at, line in enumerate(lines, 1) if line.startswith("allowed_tools"))
    assert (
        refused(allowed_tools="Read")
        == f"mine.yaml:{number}: allowed_tools: should be a valid array (it is 'Read')"
    )
    assert "unknown key promt" in refused(promt="x")
    assert "permission_mode" in refused(permission_mode="free")
    assert "inputs.required.0.description: this key is missing" in refused(
        inputs={"required": [{"name": "input"}]}
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: b: c\n", "mine.yaml:1: not valid YAML: mapping values are not allowed here"),
        ("name: x\nname: y\n", "mine.yaml:2: duplicate key name"),
        ("- a\n", "mine.yaml: a template is a mapping of keys to values"),
        ("", "mine.yaml: a template is a mapping of keys to values"),
        ("name: &a x\ndescription: *a\n", "mine.yaml: aliases are not supported"),
        ("\x00", "mine.yaml:1: not valid YAML"),
        ("[" * 600, "mine.yaml: nested too deeply"),
        ("1: x\n", "mine.yaml: name: this key is missing"),
        ("x" * 300_000, "mine.yaml: larger than 200 kB"),
    ],
)
def test_what_is_no_template_is_said_in_one_line(text, says):
    with pytest.raises(TemplateValidationError) as caught:
        read_template(text.encode(), "mine.yaml")
    assert caught.value.message.startswith(says) and "\n" not in caught.value.message


@given(
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass"))
)
def test_no_bytes_break_the_loader(data):
    for reads in (read_template, template_summary):
        with suppress(TemplateValidationError):
            reads(data, "mine.yaml")


@given(
    st.sampled_from(sorted(WHOLE)),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=4
    ),
)
def test_no_value_breaks_the_loader(key, value):
    with suppress(TemplateValidationError):
        assert isinstance(read(**{key: value}), ReviewTemplate)


@pytest.mark.req("R004-016")
@pytest.mark.parametrize(
    "name", [BUILDER, "reviewgate_gh.documents.builders.code.code_review_prompt"]
)
def test_a_builder_is_a_function_when_the_template_is_loaded(name):
    assert (
        read(prompt_template=..., prompt_builder=name).prompt_builder
        is code_review_prompt
        is the_same
    )


@pytest.mark.req("R004-017")
@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "reviewgate_gh.documents.builders.no_such",
            "reviewgate_gh.documents.builders has no no_such",
        ),
        ("reviewgate_gh.no_such.thing", "cannot import reviewgate_gh.no_such"),
        ("no_such_package.thing", "no_such_package is not an installed package"),
        ("reviewgate_gh.__version__", "is not a function"),
        ("builtins.print", "builtins is not an installed package"),
        ("os.system", "os is not an installed package"),
        ("alone", "is not a dotted name"),
        ("a..b", "is not a dotted name"),
        ("", "is not a dotted name"),
    ],
)
def test_a_builder_that_cannot_be_had_is_refused_when_the_template_is_loaded(name, says):
    message = refused(prompt_template=..., prompt_builder=name)
    assert message.startswith("mine.yaml:") and says in message


@pytest.mark.contract(plain=False)
def test_a_builder_never_comes_from_the_folder_that_is_reviewed(tmp_path):
    """Even where Python would find it first; from a folder of installed packages it does come."""
    (tmp_path / "local_builder.py").write_text(
        "open('ran', 'w').close()\n\ndef make(inputs):\n    return 'x'\n"
    )
    template = yaml.safe_dump(
        {**WHOLE, "prompt_builder": "local_builder.make", "prompt_template": None}
    )
    (tmp_path / "mine.yaml").write_text(template)
    program = (
        "import sys; sys.path.insert(0, '.'); from pathlib import Path; from "
        "reviewgate_gh.documents.loader import load_template as l; "
    )
    env = {"PYTHONPATH": f"{ROOT}:{tmp_path}"}
    done = run([sys.executable, "-c", f"{program}l(Path('mine.yaml'))"], tmp_path, env)
    assert (
        "local_builder is not an installed package" in done.stderr
        and not (tmp_path / "ran").exists()
    ), done.output
    as_if = (
        f"import site; site.getsitepackages = lambda: [{str(tmp_path)!r}]; "
        f"{program}print(l(Path('mine.yaml')).prompt_builder({{}}))"
    )
    assert run([sys.executable, "-c", as_if], tmp_path, env).stdout == "x\n"


def test_tools_that_write_are_refused():
    assert "allowed_tools: a review may only read, so Edit is not allowed" in refused(
        allowed_tools=["Read", "Edit"]
    )


@pytest.mark.req("R004-009")
def test_hooks_are_functions_of_installed_packages():
    assert read().hooks is None
    hooks = read(hooks={"PostToolUse": [{"matcher": "Read", "hooks": [BUILDER]}]}).hooks
    (hook,) = hooks["PostToolUse"]
    assert (hook.matcher, hook.hooks) == ("Read", [code_review_prompt])
    assert "a hook is" in refused(hooks={"PostToolUse": ["x"]})
    assert "is not an installed package" in refused(
        hooks={"PostToolUse": [{"hooks": ["os.system"]}]}
    )


@pytest.mark.req("R004-011")
def test_the_question_is_the_builders_or_the_filled_template():
    assert read().build_prompt({"input": "plan.md"}) == "Look at plan.md."
    built = read(prompt_template=..., prompt_builder=BUILDER, inputs=...)
    assert built.build_prompt({"diff": "main"}) == code_review_prompt({"diff": "main"})


def test_only_known_names_are_placeholders_and_values_are_not_read_again():
    made = read(
        prompt_template="{input} {cwd} {other} {} { } {0} {{input}} %s", inputs={**WHOLE["inputs"]}
    )
    assert made.build_prompt({"input": "{cwd}"}) == "{cwd} . {other} {} { } {0} {{cwd}} %s"
    optional = read(
        prompt_template="a{more}b", inputs={"optional": [{"name": "more", "description": "x"}]}
    )
    assert optional.build_prompt({}) == "ab"


@pytest.mark.req("R004-012")
def test_a_template_that_makes_no_question_names_itself():
    bare = ReviewTemplate("bare", "", "", [], "default")
    with pytest.raises(
        ValueError, match="Template 'bare' has neither prompt_template nor prompt_builder"
    ):
        bare.build_prompt({})


def test_a_required_input_that_is_missing_or_empty_is_named():
    for inputs in ({}, {"input": ""}):
        with pytest.raises(ValueError, match="Template 'mine' needs input"):
            read().build_prompt(inputs)


@pytest.mark.req("R004-022", "R004-023")
def test_the_registry_holds_what_is_added_and_what_comes_with_us():
    load_builtin_templates()
    assert [template.name for template in list_templates()] == ["arch", "code", "tasks"]
    register_template(read())
    assert get_template("mine") == read() and get_template("none") is None
    assert "mine" in [template.name for template in list_templates()]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(TemplateValidationError, match=r"gone\.yaml: No such file"):
        load_template(tmp_path / "gone.yaml")
