-- Browser profiles, and which session is attached to which.

-- An owner is a session (owner_id is its row: the next bearer of its label owns
-- nothing) or a group by its name. address is a browser that is somebody
-- else's.
CREATE TABLE profiles (
  handle       TEXT PRIMARY KEY,
  label        TEXT NOT NULL,
  backend      TEXT NOT NULL,
  dir          TEXT NOT NULL,
  adopted      INTEGER NOT NULL,
  headless     INTEGER NOT NULL,
  address      TEXT NOT NULL,
  owner_kind   TEXT NOT NULL CHECK (owner_kind IN ('session', 'group')),
  owner        TEXT NOT NULL,
  owner_id     INTEGER NOT NULL,
  last_major   INTEGER NOT NULL,
  last_backend TEXT NOT NULL,
  created      INTEGER NOT NULL,
  used         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE attachments (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  profile    TEXT NOT NULL REFERENCES profiles(handle) ON DELETE CASCADE,
  alias      TEXT NOT NULL,
  origin     TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  since      INTEGER NOT NULL,
  PRIMARY KEY (session_id, profile)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_profile ON attachments(profile);

-- The set of attachments a session was last told of.
CREATE TABLE attachments_told (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  set_of     TEXT NOT NULL
) STRICT;
