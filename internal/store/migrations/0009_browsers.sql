-- Browsers that outlive their daemon, and whose each tab of theirs is.

-- label, ephemeral and child say which ephemeral profile it is; one with a name
-- has its row in profiles. session_id is who has it, or had it started: the
-- next bearer of its label is another. up is 0 for an ephemeral one that does
-- not run. No element was told with a number above refs.
CREATE TABLE browsers (
  handle     TEXT PRIMARY KEY,
  label      TEXT NOT NULL,
  ephemeral  INTEGER NOT NULL,
  child      INTEGER NOT NULL,
  headless   INTEGER NOT NULL,
  session_id INTEGER NOT NULL,
  up         INTEGER NOT NULL,
  refs       INTEGER NOT NULL,
  created    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- target is the browser's own name of a tab. One that was closed keeps its row
-- as long as its browser runs: its number is not given again.
CREATE TABLE browser_tabs (
  browser    TEXT NOT NULL REFERENCES browsers(handle) ON DELETE CASCADE,
  target     TEXT NOT NULL,
  tab        TEXT NOT NULL,
  session_id INTEGER NOT NULL,
  active     INTEGER NOT NULL,
  PRIMARY KEY (browser, target)
) STRICT, WITHOUT ROWID;
