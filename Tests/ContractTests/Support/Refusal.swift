import Postgres
import TestSupport
import Testing

/// Expects that the call is refused by that rule.
func expectRefusal<R>(
  sqlState: String, rule: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ call: () async throws -> R
) async throws {
  let ended = try await outcome(call)
  #expect(ended == "\(sqlState) \(rule)", comment, sourceLocation: sourceLocation)
}

/// Expects the error of the server that these calls end with where no rule of the contract speaks.
func expectServerError<R>(
  _ sqlState: String, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ call: () async throws -> R
) async throws {
  let error = await #expect(throws: PostgresError.self, comment, sourceLocation: sourceLocation) { try await call() }
  #expect(error?.sqlState == sqlState, comment, sourceLocation: sourceLocation)
}
