INSERT INTO site_claims VALUES('portal.example', 'a', 3, '', 'a puzzle', 1700000000009);
INSERT INTO kept_profiles VALUES('/state/browsers/w41-bank', 'bank', 'a', 3, 'w41', 1700000000010);
UPDATE windows SET label = 'bank' WHERE handle = 'w41';
