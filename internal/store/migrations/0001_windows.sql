-- What runs: displays with the processes that prove they are ours, the window
-- targets on them, and the counters that never give a handle twice.

CREATE TABLE counters (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE displays (
  id          TEXT PRIMARY KEY,
  number      INTEGER NOT NULL,
  rung        TEXT NOT NULL,
  dir         TEXT NOT NULL,
  w           INTEGER NOT NULL,
  h           INTEGER NOT NULL,
  session_bus TEXT NOT NULL,
  access_bus  TEXT NOT NULL,
  boot        TEXT NOT NULL,
  created     INTEGER NOT NULL
) STRICT;

CREATE TABLE processes (
  display TEXT NOT NULL REFERENCES displays(id) ON DELETE CASCADE,
  pid     INTEGER NOT NULL,
  start   INTEGER NOT NULL,
  what    TEXT NOT NULL,
  PRIMARY KEY (display, pid, start)
) STRICT, WITHOUT ROWID;

-- opener_id is the opener as a row of sessions, 0 for the person: a label can
-- be given again after its session ended, and the next bearer owns nothing.
CREATE TABLE windows (
  n            INTEGER PRIMARY KEY AUTOINCREMENT,
  handle       TEXT NOT NULL UNIQUE,
  app          TEXT NOT NULL,
  title        TEXT NOT NULL,
  path         TEXT NOT NULL,
  home         TEXT NOT NULL,
  origin       TEXT NOT NULL,
  rung         TEXT NOT NULL,
  display      TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  start        INTEGER NOT NULL,
  opener       TEXT NOT NULL,
  opener_id    INTEGER NOT NULL,
  mode         TEXT NOT NULL,
  resolved     TEXT NOT NULL,
  why          TEXT NOT NULL,
  pin_w        INTEGER,
  pin_h        INTEGER,
  state        TEXT NOT NULL,
  ended_why    TEXT NOT NULL,
  ended_status INTEGER NOT NULL,
  ended_at     INTEGER,
  created      INTEGER NOT NULL
) STRICT;
