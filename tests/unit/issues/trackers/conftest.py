"""The scripted server of the GitHub client's own tests."""

from tests.unit.github.conftest import client, clock, server  # noqa: F401
