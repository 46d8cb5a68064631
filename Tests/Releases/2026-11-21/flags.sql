-- Activity 3 is disqualified afterwards; activity 5 stays under review.
SELECT racing.flag_activity(a, f, 'suspicious_speed', 'too fast') FROM (VALUES (3), (5)) AS v(a), generate_series(9, 11) AS f;
