"""Sending until there is an answer: tries by what they may do twice, waits that GitHub asks for, writes one by one."""

import threading
from dataclasses import replace

from ...model.errors import UpstreamError
from ..network import Broken
from . import graphql, limits, redirects
from .addresses import Addresses, origin
from .answer import Answer
from .calls import JSON, Call, Repeat, Requests
from .errors import LOOK, Malformed, RateLimited, Uncertain, Unreachable
from .refusals import refusal
from .timing import Timing, iso
from .wire import ADDRESS, Wire

_BETWEEN_WRITES = 1.0
_AFTER_LIMIT = "run again after that; GITHUB_TOKEN is limited to 1,000 requests per hour and repository"
_NETWORK = f"try again; if the error persists, check the network and {ADDRESS}"
_THEIRS = "GitHub has an internal problem: try again later"
_OVER = "run again: it continues where it stopped"


class Sender:
    """Calls of one run, with one deadline for all of them."""

    def __init__(self, addresses: Addresses, token: str, deadline: float, timing: Timing) -> None:
        self.requests = Requests()
        self._wire = Wire(token, addresses.origins)
        self._has_token = bool(token)
        self._timing = timing
        self._deadline = deadline
        self._end = timing.clock() + deadline
        self._writing = threading.Lock()
        self._wrote = timing.clock() - _BETWEEN_WRITES

    def send(self, call: Call) -> Answer:
        """The answer of a call that went well.

        Raises:
            Refused: GitHub said no.
            Unreachable, Uncertain: no usable answer came; after Uncertain a write may have been stored.
            RateLimited: GitHub asks to wait for too long.
        """
        if not call.writes:
            return self._answered(call)
        with self._writing:
            self._timing.sleep(max(0.0, _BETWEEN_WRITES - (self._timing.clock() - self._wrote)))
            try:
                return self._answered(call)
            finally:
                self._wrote = self._timing.clock()

    def _answered(self, call: Call) -> Answer:
        waits = tries = 0
        sent = False
        while True:
            try:
                answer = self._exchanged(call)
            except Broken as broken:
                tries, sent = tries + 1, sent or broken.sent
                self._try_again(call, broken, tries, sent)
                continue
            asked = limits.wait_for(answer, waits, self._timing.epoch())
            if asked is None:
                return self._checked(call, answer)
            self._wait(asked, waits, call)
            waits += 1

    def _exchanged(self, call: Call) -> Answer:
        """One exchange, redirects followed, whose answer is whole and makes sense."""
        url = call.url
        for _ in range(redirects.MOST + 1):
            if self._left() <= 0:
                raise Broken(f"this run's time limit of {self._deadline:.0f} s for GitHub has passed", _OVER, sent=False, final=True)
            self.requests.add(call)
            answer = self._wire.send(call.method, url, call.body, call.accept, min(self._timing.exchange, self._left()))
            if answer.status not in redirects.CODES:
                return self._sensible(call, answer)
            url = redirects.target(call.method, url, answer)
        raise UpstreamError(f"GitHub at {_host(url)} redirects {call.name} in a loop", f"check that {ADDRESS} is right")

    def _sensible(self, call: Call, answer: Answer) -> Answer:
        if answer.status >= 500 or answer.status == 408:
            raise Broken(f"status {answer.status}", _THEIRS)
        if not 200 <= answer.status < 300 or answer.status == 204 or call.accept != JSON:
            return answer
        whole = replace(answer, data=answer.json())
        if call.graphql and graphql.failed(whole.data):
            raise Broken("an internal error of GitHub's", _THEIRS)
        return whole

    def _wait(self, asked: float, waits: int, call: Call) -> None:
        """Wait as long as GitHub asks for.

        Raises:
            RateLimited: that is too long, or it was asked too often.
        """
        until = iso(self._timing.epoch() + asked)
        if waits >= limits.MOST_WAITS:
            raise RateLimited(f"GitHub still rate-limits {call.name} after {waits} waits", _AFTER_LIMIT, until)
        if asked > self._left():
            left = f"only {max(0.0, self._left()):.0f} s of this run's {self._deadline:.0f} s are left"
            raise RateLimited(f"GitHub rate-limits {call.name} until {until}, and {left}", _AFTER_LIMIT, until)
        self.requests.waited += asked
        self._timing.sleep(asked)

    def _try_again(self, call: Call, broken: Broken, tries: int, sent: bool) -> None:
        """Wait a little before the next try, or give up with the error that fits; `sent` is true of any try."""
        most = call.repeat.value if sent else Repeat.FREE.value
        pause = 2.0 ** (tries - 1)
        if tries < most and not broken.final and pause < self._left():
            self._timing.sleep(pause)
            return
        said = f"{broken.reason}{f', {tries} times' if tries > 1 else ''}"
        if call.writes and sent:
            raise Uncertain(f"{call.name} at {_host(call.url)}: {said}, so it is unknown whether GitHub stored it", LOOK)
        raise Unreachable(f"GitHub at {_host(call.url)} did not answer {call.name}: {said}", broken.hint or _NETWORK)

    def _checked(self, call: Call, answer: Answer) -> Answer:
        if 400 <= answer.status < 500:
            raise refusal(answer, call.name, self._has_token)
        if not 200 <= answer.status < 300:
            raise Malformed(f"GitHub answered {call.name} with status {answer.status}")
        return answer

    def _left(self) -> float:
        return self._end - self._timing.clock()


def _host(url: str) -> str:
    return origin(url)[1]
