"""The lenses that come with us."""

import pytest

from reviewgate_gh.ensemble.lenses import OURS
from reviewgate_gh.ensemble.prompt import MAX_WORDS, Lens
from reviewgate_gh.model.config import LENSES
from reviewgate_gh.model.errors import ConfigError
from reviewgate_gh.system import plugins
from reviewgate_gh.text.config_file import parse_settings


@pytest.mark.req("R003-001", "R003-004", "R003-006")
def test_each_lens_has_at_most_200_words_and_the_nine_are_there():
    assert (
        {*plugins.data_names(OURS)} == {*LENSES, "build-and-test", "issue-fidelity"}
        and len(LENSES) == 8
        and MAX_WORDS == 200
    )
    for name in plugins.data_names(OURS):
        data = plugins.data(OURS, name)
        assert len(data.split()) <= MAX_WORDS
        assert parse_settings(data, Lens, name).title


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title: A\n", "instructions"),
        ("title: ' '\ninstructions: b\n", "title is empty"),
        ("title: A\ninstructions: b\nmodel: c\n", "unknown key model"),
        (f"title: A\ninstructions: '{'word ' * 200}'\n", "at most 200 words, this one has 201"),
        ("title: [\n", "not valid YAML"),
    ],
)
def test_a_lens_that_is_none_says_why(text, told):
    with pytest.raises(ConfigError, match=told):
        parse_settings(text.encode(), Lens, "x.yaml")
