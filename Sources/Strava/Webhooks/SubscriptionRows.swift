import Postgres

/// The SQL of the subscription to webhooks.
enum SubscriptionRows {
  /// The subscription that is kept, as far as ending it needs.
  struct Kept: Sendable {
    let path: Bytes
    /// Nil: the provider's answer to it never came.
    let id: Int64?
  }

  static func begin(_ callback: CallbackURL, path: [UInt8], verify: [UInt8]) -> Statement {
    "SELECT strava.begin_subscription(\(callback.base), \(Bytes(path)), \(Bytes(verify)))"
  }

  static func confirm(path: Bytes, id: Int64) -> Statement { "SELECT strava.confirm_subscription(\(path), \(id))" }

  static func end(path: Bytes) -> Statement { "SELECT strava.end_subscription(\(path))" }

  /// Locked, so that what is shown before is what is changed.
  static let kept: Statement = "SELECT s.path_digest, s.subscription_id FROM strava.subscription AS s"

  /// One value: JSON, null where there is none.
  static let shown: Statement = "SELECT coalesce(strava.subscription_json(), 'null')"

  static let isElsewhere: Statement = "SELECT settled.is_elsewhere()"
}
