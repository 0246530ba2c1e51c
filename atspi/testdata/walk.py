#!/usr/bin/python3
"""Walks every application of the desktop with libatspi, the way a client of
that library does, and prints what it took and what it saw as JSON lines.

usage: walk.py [rounds]: one line a round and application, the nodes in the
first round only.
"""
import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def path_of(acc):
    try:
        return acc.path
    except Exception:
        return None


def walk(acc, nodes, depth, detail):
    role = acc.get_role_name()
    name = acc.get_name()
    ifaces = acc.get_interfaces()
    acc.get_state_set()
    if detail and "Component" in ifaces:
        acc.get_extents(Atspi.CoordType.SCREEN)
    count = acc.get_child_count()
    nodes.append([depth, role, name, count])
    if depth > 100:
        return
    for i in range(min(count, 500)):
        child = acc.get_child_at_index(i)
        if child is not None:
            walk(child, nodes, depth + 1, detail)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for turn in range(rounds):
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            app = desktop.get_child_at_index(i)
            if app is None:
                continue
            nodes = []
            start = time.monotonic()
            try:
                walk(app, nodes, 0, True)
            except Exception as fault:  # an application that left
                print(json.dumps({"fault": str(fault)}), flush=True)
                continue
            took = (time.monotonic() - start) * 1000
            line = {"app": app.get_name(), "ms": took, "n": len(nodes)}
            if turn == 0:
                line["nodes"] = nodes
            print(json.dumps(line), flush=True)


main()
