-- More about people: the tokens of commands, ends that wait, shares an
-- application is to get again, and the pictures of what was done.

-- A session has one token of its own; each command that is run as it gets
-- another.
CREATE TABLE tokens (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  hash    BLOB NOT NULL UNIQUE,
  session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE
) STRICT;
CREATE INDEX tokens_session ON tokens(session, id);

-- due is when the windows of an ended session end, NULL once they have; waits
-- counts the graces that were given since, because a person used one of them.
ALTER TABLE sessions ADD COLUMN due INTEGER;
ALTER TABLE sessions ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;

CREATE TABLE remembered (
  app   TEXT NOT NULL,
  kind  TEXT NOT NULL CHECK (kind IN ('session', 'group')),
  name  TEXT NOT NULL,
  mode  TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (app, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX remembered_grantee ON remembered(kind, name);

-- id is the act's row of the audit; box is "x,y,w,h" of the place in window
-- coordinates, "" when there is none; note says why a picture is missing or
-- filled in.
CREATE TABLE traces (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  handle TEXT NOT NULL,
  box    TEXT NOT NULL,
  before TEXT NOT NULL,
  after  TEXT NOT NULL,
  note   TEXT NOT NULL
) STRICT;
CREATE INDEX traces_handle ON traces(handle, id);

-- A picture is there once, whatever rows it stands in.
CREATE TABLE pictures (
  name  TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
