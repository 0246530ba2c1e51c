#!/usr/bin/python3
"""Becomes a process that has lost every sign of where it came from but one.

It forks twice, leads a session of its own, empties its environment, closes what
it inherited and connects: ghost.py x <number> <cookie hex> to an X server,
ghost.py bus <socket> to a message bus, ghost.py none to nothing. The file named
first gets the pid of what stays behind.
"""

import os
import socket
import struct
import sys
import time


def x_server(number, cookie):
    s = socket.socket(socket.AF_UNIX)
    s.connect("/tmp/.X11-unix/X" + number)
    name = b"MIT-MAGIC-COOKIE-1"
    data = bytes.fromhex(cookie)
    s.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(name), len(data)) + name + b"\0\0" + data)
    assert s.recv(8)[0] == 1
    return s


def bus(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    uid = str(os.getuid()).encode().hex().encode()
    s.sendall(b"\0AUTH EXTERNAL " + uid + b"\r\n")
    assert s.recv(512).startswith(b"OK")
    s.sendall(b"BEGIN\r\n")

    def field(code, kind, text):
        return struct.pack("<BBcxI", code, 1, kind, len(text)) + text + b"\0"

    name = b"org.freedesktop.DBus"
    fields = b""
    for one in (field(1, b"o", b"/org/freedesktop/DBus"), field(2, b"s", name),
                field(3, b"s", b"Hello"), field(6, b"s", name)):
        fields += b"\0" * (-len(fields) % 8) + one
    pad = b"\0" * (-len(fields) % 8)
    s.sendall(struct.pack("<cBBBIII", b"l", 1, 0, 1, 0, 1, len(fields)) + fields + pad)
    assert s.recv(1)
    return s


def main():
    detached = sys.argv[1] == "detached"
    note, kind, rest = sys.argv[1 + detached], sys.argv[2 + detached], sys.argv[3 + detached:]
    if not detached:
        if os.fork():
            os._exit(0)
        os.setsid()
        if os.fork():
            os._exit(0)
        null = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        os.chdir("/")
        script = os.path.abspath(__file__)
        os.execve(sys.executable, [sys.executable, "-S", "-E", script, "detached"] + sys.argv[1:], {})
    keep = {"x": x_server, "bus": bus, "none": lambda: None}[kind](*rest)
    with open(note + ".new", "w") as f:
        f.write(str(os.getpid()))
    os.rename(note + ".new", note)
    time.sleep(600)
    del keep


main()
