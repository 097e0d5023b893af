"""The door to model APIs: one question in one POST, tried again where that can help."""

from .sender import Heard, Pace, send
from .wire import Call

__all__ = ["Call", "Heard", "Pace", "send"]
