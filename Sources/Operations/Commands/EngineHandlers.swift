import Engine
import ControlAPI
import TextCoding
package import Postgres

/// The engine's commands: settings, nodes, the clock.
package enum EngineHandlers {
  package static let commands: [Command] = [
    Command(.set, .change(set)),
    Command(.nodes, .read { _, transaction in try await transaction.query(nodes).one(JSON.self) }),
    Command(.clockAccept, .change(acceptClock)),
  ]

  private static let nodes: Statement = """
    SELECT coalesce(jsonb_agg(jsonb_build_object('node', node, 'version', version,
      'startedAt', settled.iso(started_at), 'lastSeenAt', settled.iso(last_seen_at),
      'silentMs', greatest(0, (1e3 * extract(epoch FROM clock_timestamp() - last_seen_at))::bigint),
      'state', CASE WHEN state = 'stopped' THEN 'gone' ELSE state END, 'clockDifferenceMs', (
        SELECT h.difference_milliseconds FROM settled.clock_hold AS h WHERE h.node = n.node AND NOT h.accepted),
      'hasProvider', has_provider) ORDER BY node), '[]') FROM settled.node AS n
    """

  private static func set(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let (key, value) = (call.text("key") ?? "", call.text("value") ?? "")
    let read: Statement = """
      SELECT jsonb_build_object('key', key, 'value', coalesce(value, default_value), 'default', default_value,
        'meaning', meaning) FROM settled.setting WHERE key = \(key)
      """
    let before = try await transaction.query(read).decode(JSON.self).first
    try await transaction.execute("SELECT settled.set(\(key), \(value))")
    let after = try await transaction.query(read).one(JSON.self)
    return CommandChange(target: key, before: before ?? JSONValue.null.json, after: after)
  }

  /// An instant that an operator typed, as PostgreSQL reads it; nil if none was given.
  package static func instant(_ text: String?, rule: String, _ transaction: Transaction) async throws -> Timestamp? {
    guard let text else { return nil }
    let wrong = CommandError(.usage, rule: rule, "\(rule) is not an instant such as 2031-03-30T23:00:00Z")
    // The server would also accept `yesterday` and `1/2/2027`, by its own clock and date style.
    let shape = /\d{4}-\d\d-\d\d[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?(Z|[+-]\d\d(:?\d\d)?)/
    guard text.wholeMatch(of: shape) != nil else { throw wrong }
    do {
      return try await transaction.query("SELECT \(text)::text::timestamptz").one(Timestamp.self)
    } catch {
      guard error.code == .decoding || error.isOfData else { throw error }
      throw wrong
    }
  }

  private static func acceptClock(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    let before = try await transaction.query(ClockStatements.standing).one(JSON.self)
    for statement in ClockStatements.accept { try await transaction.execute(statement) }
    try await transaction.execute(Scheduler.wakeUp)
    return CommandChange(target: "clock", before: before, after: JSONValue.array([]).json)
  }
}
