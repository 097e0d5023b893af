"""The pre-push hook: installing it, proving that it fires, reviewing the refs of a push."""
