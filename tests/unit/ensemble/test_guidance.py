"""The project's own rules, on their way to models."""

from reviewgate_gh.ensemble.context import collect_guidance


def test_rules_that_are_cut_hold_no_half_of_a_key():
    """Where it is cut, what is left of a line looks like no secret any more."""
    lines = [f"{at:02}{'Ab3/' * 15}Zq" for at in range(40)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])
    for length in range(23_700, 23_764, 7):
        text, [notice] = collect_guidance(
            {"CLAUDE.md": ("word " * 5000)[:length].encode() + b"\n" + key.encode()}
        )
        assert "Ab3/" not in text and "[REDACTED:private-key]" in text
        assert notice == "CLAUDE.md: models read only its first 24,000 characters"


def test_rules_in_a_denied_place_are_named_and_not_told():
    """What the policy keeps from models is kept in whatever part of a question."""
    files = {"CLAUDE.md": b"The price of acme is 42.", ".reviewgate-gh/rules.md": b"No floats."}
    text, notices = collect_guidance(files, ("CLAUDE.md", "AGENTS.md"))
    assert text == "From .reviewgate-gh/rules.md:\nNo floats."
    assert notices == ("CLAUDE.md: not sent to a model (policy.denied_paths)",)
