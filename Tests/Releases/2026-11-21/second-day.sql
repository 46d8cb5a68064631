-- Each athlete paddles an hour ago; people check in, one fewer on the second day.
SELECT racing.import_activity(n, jsonb_build_object('stravaId', 7000 + 100 + n, 'name', 'Paddle', 'activityType', 'Kayaking',
    'startDate', '2031-06-04T09:00:00Z', 'elapsedTime', 1800, 'movingTime', 1800, 'distance', 6000 + n * 10,
    'maxSpeed', 4 + n % 5 * 0.1, 'startLocation', '{"latitude": 54.3626, "longitude": -2.9206}'::jsonb,
    'endLocation', '{"latitude": 54.3626, "longitude": -2.9206}'::jsonb, 'polyline', 'mock'))
  FROM generate_series(1, 11) AS n;
SELECT checkins.submit(name, '{"sleepHours": 7.5, "steps": 8200, "vigorousMinutes": 20, "processedFoodScore": 3,
    "alcoholUnits": 0, "stressLevel": 4, "lateCaffeine": false, "screenLate": true, "bedtimeHour": 22.5}')
  FROM unnest('{Aroha, Nia, Dana, Mei, Tane}'::text[]) WITH ORDINALITY AS p(name, n) WHERE n <= 3;
