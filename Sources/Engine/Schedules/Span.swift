import Postgres

/// A length of time as commands write it: `500ms 30s 10m 6h 14d`.
enum Span {
  static func text(_ duration: Duration) -> String {
    let milliseconds = duration.milliseconds
    for (unit, length) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)] as [(String, Int64)]
    where milliseconds != 0 && milliseconds % length == 0 {
      return "\(milliseconds / length)\(unit)"
    }
    return milliseconds == 0 ? "0s" : "\(milliseconds)ms"
  }

  /// What an operator typed, at least `least` and at most `most`; nil where nothing was given.
  static func read(
    _ text: String?, rule: String, least: Duration, most: Duration = .seconds(400 * 86_400), _ session: some Session
  ) async throws -> Duration? {
    guard let text else { return nil }
    let read: Statement = """
      SELECT (1e3 * extract(epoch FROM settled.parse_span(CASE WHEN \(text) = '0' THEN '0s' ELSE \(text) END)))::bigint
      """
    guard let found = try await session.query(read).one(Int64?.self).map({ Duration.milliseconds($0) }),
      least <= found, found <= most
    else {
      throw CommandError(
        .usage, rule: rule,
        "\(rule) is a length of time such as 500ms, 30s, 10m, 6h, 14d, from \(self.text(least)) to "
          + self.text(most))
    }
    return found
  }
}
