-- What sessions say of sites, each by whom, and the directories that a browser
-- left because it was asked to.

-- tier is said only while no backend is: a backend has its tier by itself.
CREATE TABLE site_claims (
  host    TEXT NOT NULL,
  session TEXT NOT NULL,
  tier    INTEGER NOT NULL CHECK (tier = 0 OR backend = ''),
  backend TEXT NOT NULL,
  why     TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (host, session)
) STRICT, WITHOUT ROWID;

-- owner_id is the owner as a row of sessions: the next bearer of a label owns
-- nothing.
CREATE TABLE kept_profiles (
  dir      TEXT PRIMARY KEY,
  label    TEXT NOT NULL,
  owner    TEXT NOT NULL,
  owner_id INTEGER NOT NULL,
  handle   TEXT NOT NULL,
  created  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What an agent calls the browser it opened; '' for other windows.
ALTER TABLE windows ADD COLUMN label TEXT NOT NULL DEFAULT '';
