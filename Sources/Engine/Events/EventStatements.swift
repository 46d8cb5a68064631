package import Postgres

/// Events as domains write them, in the same transaction as the change; positions follow later (`EventNumbering`).
package enum EventStatements {
  /// One event for each key; payloads are JSON texts.
  package static func emit(topic: String, keys: [String], payloads: [String], at now: Timestamp) -> Statement {
    """
    INSERT INTO settled.event_pending (topic, key, payload, occurred_at)
    SELECT \(topic), e.key, e.payload::jsonb, \(now)
    FROM unnest(\(keys), \(payloads)) WITH ORDINALITY AS e(key, payload, place) ORDER BY e.place
    """
  }
}
