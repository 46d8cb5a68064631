import Postgres
import TestSupport

extension Session {
  /// The one value of a statement whose text stands in the test.
  func value<Value: PostgresDecodable>(_ sql: String, as type: Value.Type = Int64.self) async throws -> Value {
    try await query(Statement(raw: sql)).one(type)
  }

  /// The value of the statement as JSON writes it, with the keys in the server's order.
  func json(_ sql: String) async throws -> String {
    try await value("SELECT (\(sql))::jsonb::text", as: String.self)
  }

  /// Runs a statement whose text stands in the test.
  func run(_ sql: String) async throws {
    _ = try await query(Statement(raw: sql))
  }
}

extension Connection {
  /// How a call ends that is rolled back in any case.
  nonisolated func tried(_ sql: String) async throws -> String {
    try await outcome {
      try await transaction(commit: false) { try await $0.run(sql) }
    }
  }
}
