INSERT INTO sessions(id, label, token_hash, created, own) VALUES(9, 'mcp-1', x'0505', 1700000000012, 1);
