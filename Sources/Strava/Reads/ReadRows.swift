import Engine
import TextCoding
import Postgres

/// The SQL of reads.
enum ReadRows {
  /// Whether the request `t` may be called for: while its time lasts, as long as operators want it, with a token that
  /// lasts and that the provider has not refused. Of an athlete's listings in line the first one goes.
  ///
  /// The line is read along its own index: IS TRUE keeps the planner from that of `until_at`, which nearly all pass.
  static let isReadable = """
    (t.until_at > (SELECT settled.clock())) IS TRUE AND (NOT t.follows_switch OR (SELECT strava.imports()))
    AND EXISTS (SELECT FROM strava.connection AS c
      WHERE c.athlete_id = t.athlete_id AND c.status = 'active' AND c.expires_at > (SELECT settled.clock())
        AND c.expires_at IS DISTINCT FROM c.refused_expiry)
    AND (t.kind <> 'listing' OR NOT EXISTS (SELECT FROM strava.read_request AS o
      WHERE o.athlete_id = t.athlete_id AND o.kind = 'listing' AND o.class = 0 AND o.next_call_at IS NULL
        AND o.until_at > (SELECT settled.clock()) AND (t.class > 0 OR o.turn < t.turn)))
    """

  static func begin(_ requests: [Int64]) -> Statement { "SELECT strava.begin_reads(\(requests))" }

  static func requests(_ ids: [Int64]) -> Statement {
    """
    SELECT t.id, t.athlete_id, t.kind, t.activity_id, t.class::bigint AS class, t.since, t.before,
      ceil(extract(epoch FROM t.since))::bigint - 1 AS after_second, ceil(extract(epoch FROM t.before))::bigint AS before_second,
      t.page::bigint AS page, t.began_at, c.expires_at,
      t.until_at <= settled.clock() OR t.follows_switch AND NOT strava.imports() AS is_over,
      CASE WHEN c.status = 'active' THEN strava.access_token(t.athlete_id) ->> 'accessToken' END AS token
    FROM unnest(\(ids)) WITH ORDINALITY AS a (id, place)
    JOIN strava.read_request AS t ON t.id = a.id
    JOIN strava.connection AS c ON c.athlete_id = t.athlete_id
    ORDER BY a.place
    """
  }

  /// One value: the rule that refuses the page, if one does.
  static func listed(_ request: Int64, _ listing: ReadJob.Listing, _ page: ActivityPage) -> Statement {
    """
    SELECT strava.write_listing(\(request), \(listing.began), \(listing.since), \(listing.before),
      \(listing.page)::bigint::integer, \(JSONValue.array(page.activities).json), \(page.isFull))
    """
  }

  /// One value: the rule that refuses it, if one does. Nil: the provider knows no such activity of the athlete.
  static func fetched(_ request: Int64, _ activity: FetchedActivity?, at called: Timestamp) -> Statement {
    """
    SELECT strava.write_activity(\(request), \(called), \(activity == nil ? "missing" : "found"), \(activity?.athlete),
      \(activity?.summary?.json))
    """
  }

  /// One value: the rule that refuses it, if one does.
  static func streamed(_ request: Int64, _ answer: String?, at called: Timestamp) -> Statement {
    "SELECT strava.write_streams(\(request), \(called), \(answer))"
  }

  /// One value: the rule that refuses what was known, if one does.
  static func end(_ request: Int64) -> Statement { "SELECT strava.end_request(\(request))" }

  static func refuse(_ access: ReadAccess) -> Statement {
    "SELECT strava.refuse_token(\(access.athlete), \(access.expiresAt))"
  }

  static func failed(_ request: Int64, _ kind: ProviderFailure.Class, isOfPeer: Bool) -> Statement {
    "SELECT strava.fail_read(\(request), \(kind.rawValue), \(isOfPeer))"
  }
}

/// With what an athlete's activities are read.
struct ReadAccess: Sendable {
  let athlete: Int64
  let token: String
  /// When the token ends: by that it is known.
  let expiresAt: Timestamp
}

extension ReadJob.Input {
  /// A row of `ReadRows.requests`; nil where the athlete has no token.
  init?(_ row: Row, at now: Timestamp) throws(PostgresError) {
    (request, athlete, activity) = (try row["id"], try row["athlete_id"], try row["activity_id"])
    (readClass, at) = (try row["class"], now)
    let kind: String = try row["kind"]
    if try row["is_over"] {
      step = .end
      return
    }
    guard let token: String = try row["token"] else { return nil }
    let access = ReadAccess(athlete: athlete, token: token, expiresAt: try row["expires_at"])
    switch kind {
    case "listing":
      let span = ActivitySpan(after: try row["after_second"], before: try row["before_second"])
      step = .list(
        ReadJob.Listing(
          span: span, since: try row["since"], before: try row["before"], page: try row["page"],
          began: try row["began_at"]), access)
    case "activity": step = .fetch(access)
    default: step = .stream(access)
    }
  }
}
