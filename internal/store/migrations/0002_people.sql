-- Who may see and act: sessions, groups, shares, leases, and the sentences a
-- session is told once.

-- A session without a token (the default one) has a NULL token_hash.
CREATE TABLE sessions (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  label      TEXT NOT NULL,
  token_hash BLOB UNIQUE,
  created    INTEGER NOT NULL,
  ended      INTEGER
) STRICT;
CREATE UNIQUE INDEX sessions_living ON sessions(label) WHERE ended IS NULL;

-- "group" is SQL's own word.
CREATE TABLE groups (
  name    TEXT PRIMARY KEY,
  created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE group_members (
  name    TEXT NOT NULL REFERENCES groups(name) ON DELETE CASCADE,
  session TEXT NOT NULL,
  PRIMARY KEY (name, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_session ON group_members(session);

CREATE TABLE shares (
  handle TEXT NOT NULL,
  kind   TEXT NOT NULL CHECK (kind IN ('session', 'group')),
  name   TEXT NOT NULL,
  mode   TEXT NOT NULL,
  since  INTEGER NOT NULL,
  PRIMARY KEY (handle, kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX shares_grantee ON shares(kind, name);

-- A row outlives its holder: epoch only ever grows while the handle lives, and
-- the person may drive what nobody holds.
CREATE TABLE leases (
  handle TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  epoch  INTEGER NOT NULL,
  since  INTEGER NOT NULL,
  input  TEXT NOT NULL CHECK (input IN ('agent', 'user')),
  paused INTEGER,
  driver TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE notices (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  session TEXT NOT NULL,
  text    TEXT NOT NULL,
  created INTEGER NOT NULL
) STRICT;
CREATE INDEX notices_session ON notices(session, id);
