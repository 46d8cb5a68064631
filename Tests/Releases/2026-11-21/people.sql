-- Twelve athletes with money, their races, and six people who check in.
SELECT racing.create_athlete('Athlete ' || n, date '1999-05-05' + n, 'male') FROM generate_series(1, 12) AS n;
SELECT racing.create_athlete('Watcher', NULL, NULL, 'spectator');
SELECT racing.connect_strava(n, 'code-' || n, 'read,activity:read_all,profile:read_all') FROM generate_series(1, 12) AS n;
SELECT racing.deposit(n, 2000 + n, 'first-' || n) FROM generate_series(1, 12) AS n;
SELECT racing.withdraw(1, 100, 'out-1');
SELECT racing.withdraw(2, 150, 'out-2');
SELECT racing.complete_withdrawal((racing.transactions(2) -> 0 ->> 'id')::bigint);
-- A race that is settled here, one that nobody scores in, one of a week that is open
-- in the dump, one that is cancelled.
SELECT racing.create_race('fastest_5km', 'daily', 'senior_men', '2031-06-03T00:00:01Z', '2031-06-04T00:00:00Z'),
  racing.create_race('top_speed', 'daily', 'senior_men', '2031-06-03T00:00:01Z', '2031-06-04T00:00:00Z'),
  racing.create_race('furthest_distance', 'weekly', 'senior_men', '2031-06-02T10:00:00Z', '2031-06-09T10:00:00Z'),
  racing.create_race('furthest_distance', 'daily', 'senior_men', '2031-06-05T00:00:01Z', '2031-06-06T00:00:00Z');
SELECT racing.enter_race(n, (r ->> 'id')::bigint)
  FROM generate_series(1, 12) AS n, jsonb_array_elements(racing.races('{"category": "senior_men"}', NULL, 500)) AS r
  WHERE r ->> 'startsAt' LIKE '%:01%' AND n <= 8 OR r ->> 'startsAt' LIKE '2031-06-02T10:00:00%';
SELECT checkins.onboard(name, zone) FROM (VALUES ('Aroha', 'Pacific/Auckland'), ('Tane', 'Pacific/Auckland'),
  ('Nia', 'Europe/London'), ('Callum', 'Europe/London'), ('Dana', 'America/Los_Angeles'), ('Mei', NULL)) AS p(name, zone);
