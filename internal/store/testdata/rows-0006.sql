INSERT INTO questions VALUES(6, 'a', 'w41', 'save it?', 1700000000011, NULL, NULL);
