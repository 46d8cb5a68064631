import ControlAPI
import Operations
import Postgres

/// `person correct`: an operator's change of what an athlete may not change after the first entry.
///
/// Source: Racing.docc/Entry.md, "The profile".
enum ProfileCorrection {
  static func run(_ call: CommandCall, _ transaction: Transaction) async throws -> CommandChange {
    guard call.text("kind") == "athlete" else {
      throw CommandError(.usage, rule: "kind", "only an athlete's profile can be corrected: kind must be athlete")
    }
    let id = call.integer("id") ?? 0
    _ = try call.reason()
    let (born, gender) = (call.text("dateOfBirth"), call.text("gender"))
    guard born != nil || gender != nil else {
      throw CommandError(.usage, rule: "change", "specify a date of birth, a gender or both")
    }
    let change = try await transaction.query(statement(id, born: born, gender: gender)).one(JSON.self, JSON.self)
    // Erasing the person erases what the audit has under this target.
    return CommandChange(target: "profile of athlete \(id)", before: change.0, after: change.1)
  }

  static func statement(_ athlete: Int64, born: String?, gender: String?) -> Statement {
    "SELECT c -> 'before', c -> 'after' FROM racing.correct_athlete(\(athlete), \(born), \(gender)) AS c"
  }
}
