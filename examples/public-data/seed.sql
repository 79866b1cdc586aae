-- The planets and their greatest moons; rounded figures that any almanac has.
CREATE TABLE planets AS
SELECT * FROM (VALUES
  (1, 'Mercury', 4879, 57.9, 88.0, 0), (2, 'Venus', 12104, 108.2, 224.7, 0), (3, 'Earth', 12756, 149.6, 365.2, 1),
  (4, 'Mars', 6792, 228.0, 687.0, 2), (5, 'Jupiter', 142984, 778.5, 4331.0, 95), (6, 'Saturn', 120536, 1432.0, 10747.0, 146),
  (7, 'Uranus', 51118, 2867.0, 30589.0, 28), (8, 'Neptune', 49528, 4515.0, 59800.0, 16)
) AS t(place, name, diameter_km, distance_million_km, year_days, moons);
COMMENT ON TABLE planets IS 'The eight planets';
COMMENT ON COLUMN planets.distance_million_km IS 'Mean distance from the sun';

CREATE TABLE moons AS
SELECT * FROM (VALUES
  ('Moon', 'Earth', 3475), ('Phobos', 'Mars', 22), ('Deimos', 'Mars', 12), ('Io', 'Jupiter', 3643), ('Europa', 'Jupiter', 3122),
  ('Ganymede', 'Jupiter', 5268), ('Callisto', 'Jupiter', 4821), ('Titan', 'Saturn', 5149), ('Rhea', 'Saturn', 1527),
  ('Titania', 'Uranus', 1577), ('Oberon', 'Uranus', 1523), ('Triton', 'Neptune', 2707)
) AS t(name, planet, diameter_km);
