INSERT INTO audit VALUES(12, 1700000000008, 'a', 'w41', 'click', 'point', '', '', '', 'ok', 6);
