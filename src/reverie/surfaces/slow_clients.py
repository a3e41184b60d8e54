"""The connections of our servers: whoever is slow is hung up on, and never locks out whoever is not.

A connection waits while its request has not arrived in full, or while nothing is asked any more. Waiting has an end, and only
so many may wait: then the one that has waited longest leaves, of the peer that has most of them. Refusing newcomers instead
would lock the owner out, because on one machine everybody comes from the same address.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 10.0  # seconds until the first line and the headers are there, however slowly they drip
BODY = 20.0  # seconds more for the form or the call that follows
ANSWER = 30.0  # seconds in which nothing of an answer is taken
KEEP_ALIVE = 5  # seconds without a new request
MOST_REQUESTS = 500  # on one connection; browsers simply open another
MOST_WAITING = 96  # connections of all peers; a browser opens six
MOST_OF_A_PEER = 48


class PatientProtocol(H11Protocol):
    """Uvicorn's own protocol with an end to its patience. Asks nothing of the application."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._asked = 0
        self._since = 0.0
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @property
    def peer(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def waits(self) -> bool:
        """Whether we wait for the client, and not the client for us."""
        return not self.transport.is_closing() and (
            self.cycle is None or self.cycle.response_complete or self.cycle.more_body
        )

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._since = self.loop.time()
        self._hang_up_in(HEAD)
        _make_room(one for one in self.connections if isinstance(one, PatientProtocol))

    def data_received(self, data: bytes) -> None:
        idle = self.timeout_keep_alive_task is not None
        super().data_received(data)
        if self.transport.is_closing():
            return
        if idle and self._deadline is None and self.waits:
            self._hang_up_in(HEAD)  # the beginning of another request

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._asked += 1
            self._hang_up_in(BODY)
            if self._asked >= MOST_REQUESTS:
                self.cycle.keep_alive = False
        if self.cycle is not None and not self.cycle.more_body:
            self._be_patient()

    def on_response_complete(self) -> None:
        self._be_patient()
        self._since = self.loop.time()
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:  # answered before the form was there in full
            self._hang_up_in(BODY)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(ANSWER, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread:
            self._unread.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._be_patient()
        if self._unread:
            self._unread.cancel()
        super().connection_lost(exc)

    def _hang_up_in(self, seconds: float) -> None:
        self._be_patient()
        self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _be_patient(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


def _make_room(connections: Any) -> None:
    """While too many wait, the oldest of the peer that has most of them leaves."""
    waiting = sorted((one for one in connections if one.waits), key=lambda one: one._since)
    peers = Counter(one.peer for one in waiting)
    while waiting and (len(waiting) > MOST_WAITING or max(peers.values()) > MOST_OF_A_PEER):
        busiest = max(peers, key=lambda peer: peers[peer])
        oldest = next(one for one in waiting if one.peer == busiest)
        waiting.remove(oldest)
        peers[busiest] -= 1
        oldest.transport.abort()
