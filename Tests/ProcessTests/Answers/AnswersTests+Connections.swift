import ControlAPI
import ControlClient
import Postgres
import TestSupport

extension AnswersTests {
  /// Connections of all states, calls that failed in every way, and replies that were lost.
  static func connections(_ questions: Questions, _ course: Course) async throws {
    try await questions.ask(.jobPause, ["name": .text("token-refresh")])
    try await course.session.script(
      """
      DELETE FROM strava.secret WHERE kind = 'code' AND athlete_id = 1;
      UPDATE strava.connection SET status = 'active', expires_at = settled.clock() + interval '6 hours',
        next_call_at = settled.clock() + interval '5 hours' WHERE athlete_id = 1;
      UPDATE strava.provider SET open_since = NULL, open_class = NULL;
      """)
    try await questions.ask(.stravaStatus)
    try await course.session.script(
      """
      UPDATE strava.provider SET open_since = settled.clock(), open_class = 'server', failures_in_row = 5;
      INSERT INTO strava.lost_reply VALUES (1, 'refresh', 1, 'wire', settled.clock(), false), (2, 'code', 1, 'node', settled.clock(), true)
        ON CONFLICT DO NOTHING;
      INSERT INTO strava.call_error SELECT class, 1, settled.clock()
        FROM unnest('{unreachable,lost,unreadable,server,limit,client,refused,interrupted,read-unreachable,read-lost,
          read-unreadable,read-server,read-limit,read-refused,read-interrupted}'::text[]) AS c (class)
      ON CONFLICT DO NOTHING;
      INSERT INTO settled.call_window (budget, seconds, started_at, short_at)
        VALUES ('strava-reads', 900, settled.clock(), settled.clock()) ON CONFLICT DO NOTHING;
      """)
    for reason in ["grant", "code", "taken", "lost-reply"] {
      try await course.session.script(
        "UPDATE strava.connection SET status = 'needs_reauth', reason = '\(reason)' WHERE athlete_id = 2")
      try await questions.ask(.stravaStatus)
    }
    try await questions.ask(.stravaRefresh, ["id": .integer(1)])
    try await questions.ask(.stravaDisconnect, ["id": .integer(1), "reason": .text("they asked")])
    try await questions.ask(.stravaRotateKey)
  }
}
