import Postgres
import Cron

extension TimeSpan {
  /// The span that an operator typed, at least `least` and at most `most`; nil if nothing was given.
  ///
  /// The database parses it, like settings: there is one grammar.
  static func read(
    _ text: String?, rule: String, least: Duration, most: Duration = .seconds(400 * 86_400), _ session: some Session
  ) async throws -> Duration? {
    guard let text else { return nil }
    let (milliseconds, forms) = try await session.query(
      "SELECT (1e3 * extract(epoch FROM settled.parse_span(\(text))))::bigint, settled.span_forms()"
    ).one(Int64?.self, String.self)
    guard let found = milliseconds.map({ Duration.milliseconds($0) }), least <= found, found <= most else {
      throw CommandError(
        .usage, rule: rule,
        "\(rule) must be a duration from \(self.text(least)) to \(self.text(most)): \(forms)")
    }
    return found
  }
}
