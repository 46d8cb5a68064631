import Foundation
package import Postgres

/// A refusal of the contract: the class of the error, and the rule in the JSON of its DETAIL.
package struct Refusal: Equatable, CustomStringConvertible {
  package let sqlState: String
  package let rule: String

  /// Nil for an error of another shape, such as a broken constraint or a missing privilege.
  package init?(_ error: PostgresError) {
    struct Detail: Decodable { let rule: String }
    guard let state = error.sqlState, state.hasPrefix("SD"), let text = error.detail,
      let detail = try? JSONDecoder().decode(Detail.self, from: Data(text.utf8))
    else { return nil }
    sqlState = state
    rule = detail.rule
  }

  package var description: String { "\(sqlState) \(rule)" }
}

/// How a call ended, as the tables of these tests write it.
///
/// `ok`, or the refusal (`SD402 funds`), or what no call may come to (the description of the error).
package func outcome<R>(_ call: () async throws -> R) async throws -> String {
  do {
    _ = try await call()
    return "ok"
  } catch let error as PostgresError {
    return Refusal(error)?.description ?? error.debugDescription
  }
}
