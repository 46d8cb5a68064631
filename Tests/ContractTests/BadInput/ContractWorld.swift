import Postgres
import TestSupport
import Testing

/// The world of the calls in `ContractFunctions`, and how they are written.
enum ContractWorld {
  /// Owner only, or owner and daemon; all others are the app's.
  static let owners = [
    "settled.set", "settled.set_clock", "racing.verify_ledger", "racing.overrule_review", "seasons.verify",
  ]

  static func call(_ name: String, _ arguments: [Argument], _ values: [String]) -> String {
    "SELECT \(name)(\(zip(arguments, values).map { "\($0.name) => \($1)" }.joined(separator: ", ")))"
  }

  static func make() async throws -> Course {
    let course = try await Course()
    let athlete = try await course.athlete()
    _ = try await course.session.query("SELECT racing.create_athlete('Second', '2000-01-01', 'male')")
    let race = try await course.race()
    let entry = try await course.enter(athlete, course.race(type: "fastest_5km"))
    let activity = try await course.outing(athlete, stravaId: 1, at: "2031-06-02T08:00:00Z")
    try #require([athlete, race, entry, activity] == [1, 1, 1, 1])
    _ = try await course.session.query("SELECT racing.create_athlete('Third')")
    _ = try await course.session.query("SELECT racing.flag_activity(1, 2, 'other')")
    let withdrawal = "SELECT (racing.withdraw(1, 100, 'pending')->>'id')::bigint" as Statement
    try #require(try await course.session.query(withdrawal).one(Int64.self) == 5)
    try await course.session.run(
      "SELECT settled.emit('t', g::text, '{}', settled.clock()) FROM generate_series(1, 3) g")
    _ = try await course.session.query("SELECT settled.number_events(10)")
    try await course.session.run(ContractFunctions.people)
    try await course.session.run(ContractFunctions.team)
    try await course.session.script(ContractFunctions.talk)
    try await course.session.run(ContractFunctions.readers)
    return course
  }
}
