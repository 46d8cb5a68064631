import Postgres
import Testing

extension Session {
  /// Expects exactly this JSON: each key, no other, each value, the digits of numbers included.
  func expect(
    _ call: String, is document: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let shown = try await json("SELECT \(call)")
    let expected = try await query("SELECT \(JSON(text: document))::text").one(String.self)
    #expect(shown == expected, comment, sourceLocation: sourceLocation)
  }
}
