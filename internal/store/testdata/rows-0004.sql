INSERT INTO tokens VALUES(4, x'0304', 3);
INSERT INTO sessions(id, label, token_hash, created, ended, due, waits) VALUES(2, 'z', x'09', 1700000000000, 1700000000009, 1700000060009, 1);
INSERT INTO remembered VALUES('xterm', 'group', 'g', 'pixels', 1700000000010);
INSERT INTO traces VALUES(12, 1700000000008, 'w41', '1,2,3,4', 'aa.jpg', 'bb.jpg', '');
INSERT INTO pictures VALUES('aa.jpg', 100, 1700000000008);
