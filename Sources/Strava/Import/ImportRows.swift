import Engine
import TextCoding
import Postgres

/// The SQL of imports.
enum ImportRows {
  /// Whether the item `t` may be called for: while its time lasts, as long as operators want it, with a token that
  /// lasts and that the provider has not refused.
  static let isReadable = """
    t.until_at > (SELECT settled.clock()) AND (SELECT strava.imports())
    AND EXISTS (SELECT FROM strava.connection AS c
      WHERE c.athlete_id = t.athlete_id AND c.status = 'active' AND c.expires_at > (SELECT settled.clock())
        AND c.expires_at IS DISTINCT FROM c.refused_expiry)
    """

  /// Removes all requests whose time is over.
  static func endRequests(at now: Timestamp) -> Statement {
    "DELETE FROM strava.import_request WHERE until_at <= \(now)"
  }

  static func requests(_ ids: [Int64]) -> Statement {
    """
    SELECT t.id, t.athlete_id, ceil(extract(epoch FROM t.since))::bigint - 1 AS after,
      ceil(extract(epoch FROM t.before))::bigint AS before, t.page::bigint,
      strava.access_token(t.athlete_id) ->> 'accessToken' AS token, c.expires_at
    FROM unnest(\(ids)) WITH ORDINALITY AS a (id, place)
    JOIN strava.import_request AS t ON t.id = a.id
    JOIN strava.connection AS c ON c.athlete_id = t.athlete_id
    WHERE \(raw: isReadable) ORDER BY a.place
    """
  }

  static func listed(_ request: Int64, _ page: ActivityPage) -> Statement {
    "SELECT strava.note_listing(\(request), \(JSONValue.array(page.activities).json), \(page.isFull))"
  }

  /// Done without a listing: the provider knows nothing of such an athlete.
  static func unlisted(_ request: Int64) -> Statement { "DELETE FROM strava.import_request WHERE id = \(request)" }

  /// Keeps activities without streams whose time is over, some at a time, or forgets them where operators have ceased
  /// to want them: rows of athlete, activity and the rule that refuses it, if one does.
  static func endFound(at now: Timestamp) -> Statement {
    """
    SELECT f.athlete_id, f.activity_id, strava.end_found(f.athlete_id, f.activity_id)
    FROM (SELECT t.athlete_id, t.activity_id FROM strava.found_activity AS t WHERE t.until_at <= \(now)
      ORDER BY t.until_at, t.athlete_id, t.activity_id LIMIT 100 FOR UPDATE SKIP LOCKED) AS f
    """
  }

  static func ended(_ rows: Rows) throws(PostgresError) -> [(StreamsJob.Key, String?)] {
    try rows.decode(Int64.self, Int64.self, String?.self).map { (StreamsJob.Key($0, $1), $2) }
  }

  static func found(_ keys: [StreamsJob.Key]) -> Statement {
    """
    SELECT t.athlete_id, t.activity_id, strava.access_token(t.athlete_id) ->> 'accessToken' AS token, c.expires_at
    FROM unnest(\(keys.map(\.first)), \(keys.map(\.second))) WITH ORDINALITY AS a (athlete_id, activity_id, place)
    JOIN strava.found_activity AS t USING (athlete_id, activity_id)
    JOIN strava.connection AS c ON c.athlete_id = t.athlete_id
    WHERE \(raw: isReadable) ORDER BY a.place
    """
  }

  /// One value: the rule that refuses it, if one does.
  static func keep(_ input: StreamsJob.Input, answer: String?) -> Statement {
    "SELECT strava.keep_found(\(input.access.athlete), \(input.activity), \(answer))"
  }

  static func refuse(_ access: ReadAccess) -> Statement {
    "SELECT strava.refuse_token(\(access.athlete), \(access.expiresAt))"
  }

  static func failed(_ kind: ProviderFailure.Class) -> Statement { "SELECT strava.note_read_failure(\(kind.rawValue))" }
}

/// With what an athlete's activities are read.
struct ReadAccess: Sendable {
  let athlete: Int64
  let token: String
  /// When the token ends: by that it is known.
  let expiresAt: Timestamp
  /// Business time of the claim.
  let at: Timestamp
}

extension ReadAccess {
  /// Nil where the athlete has no token.
  init?(_ row: Row, at now: Timestamp) throws(PostgresError) {
    guard let token: String = try row["token"] else { return nil }
    self.init(athlete: try row["athlete_id"], token: token, expiresAt: try row["expires_at"], at: now)
  }
}

extension ListingJob.Input {
  /// A row of `ImportRows.requests`; nil where the athlete has no token.
  init?(_ row: Row, at now: Timestamp) throws(PostgresError) {
    guard let access = try ReadAccess(row, at: now) else { return nil }
    self.init(
      request: try row["id"], span: ActivitySpan(after: try row["after"], before: try row["before"]),
      page: try row["page"], access: access)
  }
}

extension StreamsJob.Input {
  /// A row of `ImportRows.found`; nil where the athlete has no token.
  init?(_ row: Row, at now: Timestamp) throws(PostgresError) {
    guard let access = try ReadAccess(row, at: now) else { return nil }
    self.init(activity: try row["activity_id"], access: access)
  }
}
