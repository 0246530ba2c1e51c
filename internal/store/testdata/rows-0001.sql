INSERT INTO counters VALUES('window', 41);
INSERT INTO displays VALUES('d1', 101, 'xvfb', '/run/d1', 3840, 2160, 'unix:path=/run/d1/bus', 'unix:path=/run/d1/at-spi', 'boot', 1700000000000);
INSERT INTO processes VALUES('d1', 7, 700, 'server');
INSERT INTO windows VALUES(1, 'w41', 'xterm', 'shell', '/usr/bin/xterm', '', 'launched', 'xvfb', 'd1', 8, 800, '', 0,
  'pixels', 'pixels', 'no tree', 1600, 900, 'ready', '', 0, NULL, 1700000000001);
