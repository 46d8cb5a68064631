import Engine
import Postgres

enum SealingRows {
  /// The key that seals what is written. The first node that has one begins with its own.
  static func present(in transaction: Transaction, else own: String?) async throws -> String? {
    let present: Statement = "SELECT key_id FROM strava.sealing_key WHERE retired_at IS NULL"
    if let key = try await transaction.query(present).first(String.self) { return key }
    guard let own else { return nil }
    try await transaction.execute(
      """
      INSERT INTO strava.sealing_key (key_id, began_at) VALUES (\(own), settled.clock()) ON CONFLICT DO NOTHING
      """)
    return try await transaction.query(present).first(String.self)
  }

  struct Secret {
    let kind: String
    let athlete: Int64
    let key: String?
    let secret: Bytes

    init(_ row: Row) throws(PostgresError) {
      kind = try row["kind"]
      athlete = try row["athlete_id"]
      key = try row["key_id"]
      secret = try row["secret"]
    }
  }

  static func secrets(_ keys: [SealingJob.Key]) -> Statement {
    """
    SELECT s.kind, s.athlete_id, s.key_id, s.secret FROM strava.secret AS s
    WHERE (s.kind, s.athlete_id) IN (SELECT * FROM unnest(\(keys.map(\.first))::text[], \(keys.map(\.second))::bigint[]))
    """
  }

  static func write(_ sealed: [SealingJob.Sealed], key: String) -> Statement {
    """
    UPDATE strava.secret AS s SET key_id = \(key), secret = n.secret
    FROM unnest(\(sealed.map(\.kind.rawValue)), \(sealed.map(\.athlete)), \(sealed.map(\.secret)))
      AS n (kind, athlete_id, secret)
    WHERE s.kind = n.kind AND s.athlete_id = n.athlete_id
    """
  }
}
