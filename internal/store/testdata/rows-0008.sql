INSERT INTO profiles VALUES('b3', 'work', 'chromium', '/state/browsers/b3', 0, 1, '', 'session', 'a', 3, 156, 'chromium', 1700000000011, 1700000000012);
INSERT INTO attachments VALUES(3, 'b3', 'w', 'chosen', 1, 1700000000013);
INSERT INTO attachments_told VALUES(3, 'b3*');
