-- What agents asked the person. A question is answered once, and goes with its
-- session.
CREATE TABLE questions (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  session  TEXT NOT NULL,
  handle   TEXT NOT NULL,
  text     TEXT NOT NULL,
  asked    INTEGER NOT NULL,
  answer   TEXT,
  answered INTEGER
) STRICT;
CREATE INDEX questions_session ON questions(session, id);
