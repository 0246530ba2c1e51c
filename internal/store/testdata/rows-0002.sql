INSERT INTO sessions VALUES(3, 'a', x'0102', 1700000000002, NULL);
INSERT INTO groups VALUES('g', 1700000000003);
INSERT INTO group_members VALUES('g', 'a');
INSERT INTO shares VALUES('w41', 'group', 'g', 'tree', 1700000000004);
INSERT INTO leases VALUES('w41', 'a', 5, 1700000000005, 'user', 1700000000006, 'app');
INSERT INTO notices VALUES(9, 'a', 'said later', 1700000000007);
