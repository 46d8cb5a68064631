package import Postgres

extension SettledDatabase {
  /// The errors of planning these statements as the daemon. `EXPLAIN` checks names, types
  /// and rights, and carries nothing out.
  package static func planErrors(_ statements: [Statement]) async throws -> [String] {
    let daemon = try await simulated().connect(.daemon)
    var errors: [String] = []
    for statement in statements {
      do {
        _ = try await daemon.query("EXPLAIN \(fragment: statement)")
      } catch {
        errors.append("\(error): \(statement.sql)")
      }
    }
    return errors
  }
}
