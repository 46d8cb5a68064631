import Postgres

/// The SQL of the subscription to webhooks.
enum SubscriptionRows {
  static func begin(_ callback: CallbackURL, path: [UInt8], verify: [UInt8]) -> Statement {
    "SELECT strava.begin_subscription(\(callback.base), \(Bytes(path)), \(Bytes(verify)))"
  }

  static func confirm(path: Bytes, id: Int64) -> Statement { "SELECT strava.confirm_subscription(\(path), \(id))" }

  static func end(path: Bytes) -> Statement { "SELECT strava.end_subscription(\(path))" }

  /// The digest of the path, and the provider's number, null where its answer never came.
  static let kept: Statement = "SELECT s.path_digest, s.subscription_id FROM strava.subscription AS s"

  /// One value: JSON, null where there is none.
  static let shown: Statement = "SELECT coalesce(strava.subscription_json(), 'null')"

  static let isElsewhere: Statement = "SELECT settled.is_elsewhere()"
}
