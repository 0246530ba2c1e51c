-- One row a verb, as it was decided. What was typed is in none of them.
CREATE TABLE audit (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  session TEXT NOT NULL,
  handle  TEXT NOT NULL,
  verb    TEXT NOT NULL,
  road    TEXT NOT NULL,
  ref     TEXT NOT NULL,
  role    TEXT NOT NULL,
  name    TEXT NOT NULL,
  verdict TEXT NOT NULL,
  took_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_handle ON audit(handle, id);
CREATE INDEX audit_at ON audit(at);
