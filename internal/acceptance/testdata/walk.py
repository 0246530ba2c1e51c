#!/usr/bin/python3
"""Walks the accessibility tree of one process with the system's own library
and prints it as JSON: the second opinion on what a snapshot says.

usage: walk.py PID
"""
import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

DEPTH, NODES = 128, 20000


def walk(node, depth, out):
    try:
        states = node.get_state_set()
        row = {
            "depth": depth,
            "role": node.get_role_name() or "",
            "name": node.get_name() or "",
            "states": [s.value_nick for s in states.get_states()],
            "interfaces": list(node.get_interfaces() or []),
        }
        children = node.get_child_count()
    except GLib.Error as fault:
        row, children = {"depth": depth, "fault": str(fault)}, 0
    out.append(row)
    if depth >= DEPTH:
        return
    for i in range(children):
        if len(out) >= NODES:
            return
        try:
            child = node.get_child_at_index(i)
        except GLib.Error:
            child = None
        if child is not None:
            walk(child, depth + 1, out)


def main():
    pid = int(sys.argv[1])
    Atspi.init()
    desktop = Atspi.get_desktop(0)
    out = []
    for i in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(i)
        if app is None or app.get_process_id() != pid:
            continue
        for n in range(app.get_child_count()):
            top = app.get_child_at_index(n)
            if top is not None:
                walk(top, 0, out)
    json.dump(out, sys.stdout)


main()
