#!/usr/bin/python3
"""A window with one very long list, scrolled to the middle.

usage: longlist.py gtk3|qt5 rows
"""
import sys

kind, rows = sys.argv[1], int(sys.argv[2])


def gtk3():
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import GLib, Gtk

    store = Gtk.ListStore(str)
    for n in range(rows):
        store.append(["Row %d" % n])
    view = Gtk.TreeView(model=store)
    view.append_column(Gtk.TreeViewColumn("Column", Gtk.CellRendererText(), text=0))
    view.set_fixed_height_mode(False)
    area = Gtk.ScrolledWindow()
    area.add(view)
    window = Gtk.Window(title="Long List")
    window.set_default_size(400, 300)
    window.add(area)
    window.show_all()
    GLib.timeout_add(200, lambda: view.scroll_to_cell(Gtk.TreePath(rows // 2), None, True, 0.0, 0.0))
    Gtk.main()


def qt5():
    from PyQt5.QtCore import QStringListModel, QTimer
    from PyQt5.QtWidgets import QApplication, QListView

    app = QApplication(sys.argv)
    model = QStringListModel(["Row %d" % n for n in range(rows)])
    view = QListView()
    view.setWindowTitle("Long List")
    view.setUniformItemSizes(True)
    view.setModel(model)
    view.resize(400, 300)
    view.show()
    QTimer.singleShot(200, lambda: view.scrollTo(model.index(rows // 2), QListView.PositionAtTop))
    app.exec_()


{"gtk3": gtk3, "qt5": qt5}[kind]()
