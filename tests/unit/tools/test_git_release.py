"""Which releases of git `doctor` warns about."""

import pytest

from reviewgate_gh.tools.doctor import git_warning


@pytest.mark.parametrize(
    "version", ["2.43.7", "2.44.4", "2.50.1", "2.51.0", "2.60.0.windows.1", "3.0.0"]
)
def test_good(version: str) -> None:
    assert git_warning(version) == ""


@pytest.mark.parametrize(
    ("version", "word"),
    [
        ("2.38.9", "older than 2.39"),
        ("1.9.1", "older than 2.39"),
        ("2.39.5", "CVE-2025-48384"),
        ("2.43.6", "CVE-2025-48384"),
        ("2.50.0", "CVE-2025-48384"),
        ("2.49.0 (Apple Git-200)", "CVE-2025-48384"),
        ("next", "unknown"),
    ],
)
def test_worrying(version: str, word: str) -> None:
    assert word in git_warning(version)
