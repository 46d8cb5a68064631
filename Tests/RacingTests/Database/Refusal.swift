import Postgres
import Testing

/// A refusal of a contract function: `SD409 decided`.
struct Refusal: Equatable, CustomStringConvertible {
  let sqlState: String
  let rule: String

  init(_ sqlState: String, _ rule: String) {
    self.sqlState = sqlState
    self.rule = rule
  }

  init?(_ error: PostgresError) {
    guard let state = error.sqlState, let detail = error.detail else { return nil }
    let parts = detail.split(separator: "\"", omittingEmptySubsequences: false)
    guard let key = parts.firstIndex(of: "rule"), parts.count > key + 2 else { return nil }
    self.init(state, String(parts[key + 2]))
  }

  var description: String { "\(sqlState) \(rule)" }
}

extension Session {
  /// How a statement is refused; nil where it is not. Any other error is thrown.
  func refusal(of statement: Statement) async throws -> Refusal? {
    do {
      _ = try await query(statement)
      return nil
    } catch {
      guard let refusal = Refusal(error) else { throw error }
      return refusal
    }
  }
}
