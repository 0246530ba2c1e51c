#!/usr/bin/python3
"""Walks an application's tree with libatspi, the way the library offers it:
node by node, reading per node what a snapshot of ours tells about one. Prints
one JSON object: milliseconds of the first walk and of a second one in the same
process (where libatspi's cache is warm), and what was counted.

    libatspi_walk.py PID

The interpreter, its imports and the connection to the bus are not counted.
"""

import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

# The bounds of one walk, so that a lying application ends it too.
MOST_NODES, MOST_CHILDREN, MOST_DEPTH = 20000, 1000, 60


def read(node, seen):
    """Reads one node: what stands on a line of a snapshot."""
    node.get_role_name()
    node.get_name()
    node.get_state_set().get_states()
    kinds = node.get_interfaces()
    if "Component" in kinds:
        node.get_extents(Atspi.CoordType.SCREEN)
    if "Action" in kinds:
        for i in range(min(Atspi.Action.get_n_actions(node), 20)):
            Atspi.Action.get_action_name(node, i)
        seen["action"] += 1
    if "Text" in kinds:
        length = Atspi.Text.get_character_count(node)
        Atspi.Text.get_text(node, 0, min(length, 4096))
        seen["text"] += 1
    if "Value" in kinds:
        Atspi.Value.get_current_value(node)
        Atspi.Value.get_minimum_value(node)
        Atspi.Value.get_maximum_value(node)
        seen["value"] += 1


def walk(node, seen, depth=0):
    """Walks a subtree, depth first."""
    if seen["nodes"] >= MOST_NODES or depth > MOST_DEPTH:
        return
    seen["nodes"] += 1
    try:
        read(node, seen)
    except GLib.Error:
        seen["errors"] += 1
    try:
        for i in range(min(node.get_child_count(), MOST_CHILDREN)):
            child = node.get_child_at_index(i)
            if child is not None:
                walk(child, seen, depth + 1)
    except GLib.Error:
        seen["errors"] += 1


def timed(pid):
    """Walks every registration of the process; gives milliseconds and counts."""
    seen = {"nodes": 0, "action": 0, "text": 0, "value": 0, "errors": 0}
    begun = time.monotonic()
    desktop = Atspi.get_desktop(0)
    for i in range(desktop.get_child_count()):
        app = desktop.get_child_at_index(i)
        if app is not None and app.get_process_id() == pid:
            walk(app, seen)
    return (time.monotonic() - begun) * 1000, seen


def main():
    pid = int(sys.argv[1])
    Atspi.init()
    Atspi.get_desktop(0).get_child_count()  # connects
    first, seen = timed(pid)
    again, _ = timed(pid)
    json.dump({"ms": first, "againMs": again, **seen}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
