"""Functions that make the question of templates whose wording depends on their inputs."""

from .code import code_review_prompt

__all__ = ["code_review_prompt"]
