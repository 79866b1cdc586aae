-- Three sensors, a value each hour for thirty days, and a few that went wrong.
CREATE TABLE sensors (id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, unit VARCHAR NOT NULL);
INSERT INTO sensors VALUES (1, 'cold room', '°C'), (2, 'warehouse', '°C'), (3, 'press', 'bar');

CREATE TABLE measurements (sensor_id INTEGER NOT NULL, measured_at TIMESTAMP NOT NULL, value DOUBLE NOT NULL);
INSERT INTO measurements
SELECT
  s.id,
  TIMESTAMP '2026-03-01' + INTERVAL (h) HOUR,
  round(CASE s.id WHEN 1 THEN 4 WHEN 2 THEN 18 ELSE 6.5 END + sin(h / 24.0 * 2 * pi()) * s.id + ((h * 7919 + s.id * 104729) % 100) / 100.0, 3)
FROM sensors s, range(720) hours(h);

UPDATE measurements SET value = value + 12 WHERE sensor_id = 1 AND hour(measured_at) = 3 AND day(measured_at) IN (9, 17);
UPDATE measurements SET value = -40 WHERE sensor_id = 2 AND measured_at = TIMESTAMP '2026-03-21 14:00:00';
