import Engine
import TextCoding
import Postgres

/// `strava status`: how connections, calls, keys and the subscription to webhooks are.
enum StravaStatus {
  /// The newest lost replies, and the next refreshes, that are listed.
  private static let listedMax = 20

  static func read(in transaction: Transaction) async throws -> JSON {
    let tokenWindows = try await ProviderLimits.tokens.readUsage(in: transaction)
    let readWindows = try await ProviderLimits.reads.readUsage(in: transaction)
    let (usage, reads) = (Self.usage(tokenWindows), Self.usage(readWindows))
    let (tokenDemand, readDemand) = (
      try await TokenDemand.read(in: transaction), try await ReadDemand.read(in: transaction)
    )
    let demand: JSONValue = [
      "tokens": Self.demand(tokenDemand.needed, tokenDemand.allowed),
      "reads": Self.demand(readDemand.needed, readDemand.allowed),
    ]
    let now = try await BusinessClock.read(transaction)
    let windows = JSONValue.array(
      Self.windows("tokens", tokenWindows, now) + Self.windows("reads", readWindows, now))
    let (waiting, rest) = try await transaction.query(rest).one(JSON.self, JSON.self)
    // All are objects: the next begins where the last ends.
    return JSON(
      text: """
        {"demand": \(demand.serialized), "windows": \(windows.serialized), "budget": \(usage.serialized), "reads": {"budget": \(reads.serialized), \(waiting.text.dropFirst()), \
        \(rest.text.dropFirst())
        """)
  }

  private static func usage(_ windows: [CallBudget.WindowUsage]) -> JSONValue {
    let windows = windows.map { window in
      JSONValue.object([("used", .integer(window.used)), ("limit", .integer(window.limit ?? 0))])
    }
    return .object([("window15", windows[0]), ("day", windows[1])])
  }

  private static func demand(_ needed: Int64, _ allowed: Int64) -> JSONValue {
    ["needed": .integer(needed), "allowed": .integer(allowed)]
  }

  /// The present windows: each begins at a multiple of its length.
  private static func windows(
    _ budget: String, _ usage: [CallBudget.WindowUsage], _ now: Timestamp
  ) -> [JSONValue] {
    usage.map { window in
      let seconds = window.length.components.seconds
      let start = Timestamp(microseconds: now.microseconds / (seconds * 1_000_000) * seconds * 1_000_000)
      return [
        "budget": .text(budget), "startsAt": .instant(start), "seconds": .integer(seconds),
        "used": .integer(window.used), "limit": .integer(window.limit ?? 0),
      ]
    }
  }

  /// What waits to be read, and the rest.
  private static let rest: Statement = """
    SELECT jsonb_build_object(
      'waiting', (SELECT jsonb_object_agg(c.name, (SELECT count(*) FROM strava.read_request AS r WHERE r.class = c.class))
        FROM (VALUES (0, 'results'), (1, 'claims'), (2, 'strangers'), (3, 'hints')) AS c (class, name)),
      'shortAt', settled.iso(strava.reads_short_at())),
    jsonb_build_object(
      'states', (SELECT jsonb_object_agg(s.status, (SELECT count(*) FROM strava.connection AS c WHERE c.status = s.status))
        FROM unnest('{connecting,active,needs_reauth,revoked}'::text[]) AS s (status)),
      'needsReauth', coalesce((SELECT jsonb_object_agg(n.reason, n.count)
        FROM (SELECT c.reason, count(*) FROM strava.connection AS c WHERE c.status = 'needs_reauth' GROUP BY c.reason) AS n),
        '{}'),
      'toRevoke', (SELECT count(*) FROM strava.connection AS c WHERE c.status = 'revoked' AND c.next_call_at IS NOT NULL),
      'nextRefreshes', coalesce((SELECT jsonb_agg(jsonb_build_object('athleteId', n.athlete_id, 'at', settled.iso(n.next_call_at))
          ORDER BY n.next_call_at, n.athlete_id)
        FROM (SELECT c.athlete_id, c.next_call_at FROM strava.connection AS c
          WHERE c.status = 'active' AND c.next_call_at IS NOT NULL ORDER BY c.next_call_at LIMIT \(listedMax)) AS n), '[]'),
      'refreshesByHour', coalesce((SELECT jsonb_agg(jsonb_build_object('hour', settled.iso(h.hour), 'count', h.count)
          ORDER BY h.hour)
        FROM (SELECT date_trunc('hour', greatest(c.next_call_at, t.now), 'UTC') AS hour, count(*) AS count
          FROM settled.clock() AS t (now) JOIN strava.connection AS c
            ON c.status = 'active' AND c.next_call_at < t.now + interval '24 hours' GROUP BY 1) AS h), '[]'),
      'breaker', (SELECT jsonb_build_object('state', CASE WHEN p.open_since IS NULL THEN 'closed' ELSE 'open' END,
        'since', settled.iso(p.open_since), 'class', p.open_class, 'failuresInRow', p.failures_in_row)
        FROM strava.provider AS p),
      'errors', coalesce((SELECT jsonb_object_agg(e.class, e.count) FROM strava.call_error AS e), '{}'),
      'lostReplies', coalesce((SELECT jsonb_agg(jsonb_build_object('athleteId', l.athlete_id, 'kind', l.kind,
          'cause', l.cause, 'at', settled.iso(l.lost_at), 'isLost', l.is_lost) ORDER BY l.lost_at DESC, l.athlete_id)
        FROM (SELECT * FROM strava.lost_reply ORDER BY lost_at DESC LIMIT \(listedMax)) AS l), '[]'),
      'lostRepliesTotal', (SELECT jsonb_build_object(
        'wire', count(*) FILTER (WHERE cause = 'wire' AND is_lost), 'node', count(*) FILTER (WHERE cause = 'node' AND is_lost),
        'open', count(*) FILTER (WHERE NOT is_lost)) FROM strava.lost_reply),
      'keyId', (SELECT k.key_id FROM strava.sealing_key AS k WHERE k.retired_at IS NULL),
      'sealedWithOldKeys', (SELECT count(*) FROM strava.secret AS s JOIN strava.sealing_key AS k USING (key_id)
        WHERE k.retired_at IS NOT NULL),
      'subscription', strava.subscription_json())
    """
}
