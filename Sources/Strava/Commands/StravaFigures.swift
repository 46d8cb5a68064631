import Engine
import Operations
import Postgres

/// Connections and calls for metrics.
enum StravaFigures {
  static let all = [
    Figure("settled_strava_connections", "Connections by status.", label: "status", connections),
    Figure("settled_strava_breaker_open", "Whether calls are stopped after failures.", breaker),
    Figure(
      "settled_strava_calls_used", "Calls made in the current window; the label is the window length in seconds.",
      label: "window",
      calls("used")),
    Figure(
      "settled_strava_calls_limit", "Calls allowed in the window; the label is the window length in seconds.",
      label: "window",
      calls("allowed")),
  ]

  static let connections: Statement = """
    SELECT s.status, (SELECT count(*) FROM strava.connection AS c WHERE c.status = s.status)::double precision
    FROM unnest('{connecting,active,needs_reauth,revoked}'::text[]) AS s (status)
    """

  static let breaker: Statement = """
    SELECT '', count(*)::double precision FROM strava.provider AS p WHERE p.open_since IS NOT NULL
    """

  static func calls(_ column: String) -> Statement {
    """
    SELECT u.seconds::text, u.\(raw: column)::double precision FROM (\(fragment: ProviderLimits.tokens.usage)) AS u
    """
  }
}
