"""Run a command without a network: python without_network.py sockets|connections COMMAND…

The kernel ends whatever breaks it (signal SYS), in this process and in all that it starts, Python or not. `sockets`: no socket of
the internet may even be made. `connections`: a server may listen, but nothing may be called.
"""

from __future__ import annotations

import ctypes
import os
import platform
import socket
import struct
import sys

CANNOT = 70  # this kernel has no such filter
_ARCHITECTURES = {  # the kernel's name of it, and its numbers of socket, connect and sendto
    "x86_64": (0xC000003E, 41, 42, 44),
    "aarch64": (0xC00000B7, 198, 203, 206),
}
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_FIRST, _FIFTH = 16, 48  # where the arguments of a call stand, low half first
_FILTER, _NO_NEW_RIGHTS = 22, 38


def program(kind: str, machine: str) -> bytes:
    """The filter, in the kernel's own small language. Jumps count the steps that are left out."""
    architecture, make, connect, send = _ARCHITECTURES[machine]
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    if kind == "sockets":
        steps += [(_EQUAL, 0, 4, make), (_LOAD, 0, 0, _FIRST)]
        steps += [(_EQUAL, 1, 0, socket.AF_INET), (_EQUAL, 0, 1, socket.AF_INET6), (_RETURN, 0, 0, _KILL)]
    else:
        steps += [(_EQUAL, 0, 1, connect), (_RETURN, 0, 0, _KILL)]
        steps += [
            (_EQUAL, 0, 5, send),
            (_LOAD, 0, 0, _FIFTH),
            (_EQUAL, 0, 2, 0),
        ]  # to whom: nobody, where it is an answer
        steps += [(_LOAD, 0, 0, _FIFTH + 4), (_EQUAL, 1, 0, 0), (_RETURN, 0, 0, _KILL)]
    steps += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def close_the_door(kind: str) -> None:
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        sys.exit(CANNOT)
    code = program(kind, platform.machine())
    libc = ctypes.CDLL(None, use_errno=True)
    text = ctypes.create_string_buffer(code, len(code))
    given = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(text))
    if libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0) or libc.prctl(
        _FILTER, 2, ctypes.create_string_buffer(given, len(given)), 0, 0
    ):
        sys.exit(CANNOT)


if __name__ == "__main__":
    close_the_door(sys.argv[1])
    os.execvp(sys.argv[2], sys.argv[2:])
