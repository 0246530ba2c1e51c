-- A session that is one process' own ends with that process.
ALTER TABLE sessions ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
