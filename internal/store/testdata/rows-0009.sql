INSERT INTO browsers VALUES('b4', 'ephemeral', 1, 0, 1, 3, 1, 500, 1700000000014);
INSERT INTO browser_tabs VALUES('b4', 'T1', 't2', 3, 1);
