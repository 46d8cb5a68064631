import Foundation
import Postgres
import Testing

/// A refusal of the contract: the class of the error, and the rule in the JSON of its DETAIL.
struct Refusal: Equatable, CustomStringConvertible {
  let sqlState: String
  let rule: String

  /// Nil for an error of another shape, such as a broken constraint or a missing privilege.
  init?(_ error: PostgresError) {
    struct Detail: Decodable { let rule: String }
    guard let state = error.sqlState, state.hasPrefix("SD4"), let text = error.detail,
      let detail = try? JSONDecoder().decode(Detail.self, from: Data(text.utf8))
    else { return nil }
    sqlState = state
    rule = detail.rule
  }

  var description: String { "\(sqlState) \(rule)" }
}

/// How a call ended, as the tables of these tests write it.
///
/// `ok`, or the refusal (`SD402 funds`), or what no call may come to (the description of the error).
func outcome<R>(_ call: () async throws -> R) async throws -> String {
  do {
    _ = try await call()
    return "ok"
  } catch let error as PostgresError {
    return Refusal(error)?.description ?? error.debugDescription
  }
}

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
