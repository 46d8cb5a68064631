import Postgres

extension MixedEnd {
  /// What is due and not done yet.
  static let open: Statement = """
    SELECT 'race ' || id || ' ' || status FROM racing.race
      WHERE status NOT IN ('settled', 'cancelled') AND due_at <= settled.clock() OR correction_due_at IS NOT NULL
    UNION ALL SELECT 'activity ' || id || ' ' || status FROM racing.activity WHERE status = 'pending'
    UNION ALL SELECT 'event ' || topic FROM settled.event_pending
    UNION ALL SELECT 'day of ' || name FROM checkins.zone WHERE next_at <= settled.clock()
    UNION ALL SELECT 'points ' || id FROM seasons.team_change
    UNION ALL SELECT 'view ' || id FROM seasons.uncounted_view
    UNION ALL SELECT 'achievements of ' || id FROM achievements.person WHERE due_at IS NOT NULL
    UNION ALL SELECT 'tick ' || schedule || ' ' || instant || ' ' || status FROM settled.occurrence WHERE finished_at IS NULL
    UNION ALL SELECT 'token of ' || athlete_id FROM strava.connection
      WHERE status IN ('connecting', 'active') AND next_call_at <= settled.clock()
    UNION ALL SELECT kind || ' of ' || athlete_id FROM strava.read_request
      WHERE coalesce(next_call_at, settled.clock()) <= settled.clock()
    UNION ALL SELECT 'lease ' || job || ' ' || key || ' of ' || owner FROM settled.lease
    """

  /// A time that is over ends what is fetched.
  static let fetching: Statement = """
    SELECT count(*) FROM strava.read_request WHERE coalesce(next_call_at, settled.clock()) <= settled.clock()
    """

  /// What is counted twice over, beside the books: ticks and their effects, reports and counters, unlocks, views.
  static let differences: Statement = """
    SELECT format('%s: %s ran, %s effects', s.name, s.ran, (SELECT count(*) FROM ops.effect AS e WHERE e.name = s.name))
    FROM (SELECT schedule AS name, count(*) FILTER (WHERE status = 'ran') AS ran FROM settled.occurrence
      WHERE schedule LIKE 'each-%' GROUP BY schedule) AS s
    WHERE s.ran <> (SELECT count(*) FROM ops.effect AS e WHERE e.name = s.name) OR s.ran = 0
    UNION ALL
    SELECT format('reader %s: counter %s, reports %s', c.user_id, c.value, r.value)
    FROM achievements.counter AS c JOIN (SELECT user_id, sum(value) AS value FROM achievements.report GROUP BY user_id) AS r
      USING (user_id)
    WHERE c.metric = 'books_read' AND c.value <> r.value
    UNION ALL
    -- Where two nodes add up at once, one leaves its unlocks to the next batch: readers count them.
    SELECT format('achievement %s: total %s, unlocks %s', t.achievement_id, t.unlocks, u.number)
    FROM (SELECT achievement_id, sum(unlocks)::bigint AS unlocks
      FROM (SELECT achievement_id, unlocks FROM achievements.total
        UNION ALL SELECT achievement_id, 1 FROM achievements.uncounted) AS a GROUP BY achievement_id) AS t
    FULL JOIN (SELECT achievement_id, count(*) AS number FROM achievements.unlock
      GROUP BY achievement_id) AS u USING (achievement_id)
    WHERE t.unlocks IS DISTINCT FROM u.number
    UNION ALL
    SELECT format('unlock %s of %s: %s events', u.achievement_id, u.user_id, e.number)
    FROM achievements.unlock AS u LEFT JOIN (SELECT key, payload->>'achievementId' AS id, count(*) AS number
      FROM settled.event WHERE topic = 'achievement.unlocked' GROUP BY 1, 2) AS e
      ON e.key = u.user_id::text AND e.id = u.achievement_id::text
    WHERE e.number IS DISTINCT FROM 1
    UNION ALL
    SELECT format('talk %s: total %s, views %s', t.talk_id, t.views, v.number)
    FROM seasons.view_total AS t JOIN (SELECT talk_id, count(*) AS number FROM seasons.view GROUP BY talk_id) AS v
      USING (talk_id)
    WHERE t.views <> v.number
    UNION ALL
    SELECT format('%s of %s: closed %s times', zone, date, count(*)) FROM checkins.day GROUP BY zone, date HAVING count(*) > 1
    """
}
