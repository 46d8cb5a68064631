import Operations
import Postgres
import TestSupport
import Testing

@testable import Racing

@Suite("A settlement on request")
struct PreviewTests {
  @Test func `a settlement on request is refused before it is due, while it waits, and when it is done`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    await expectRefusal("status") { try await day.settle(field.race) }
    await expectRefusal("race") { try await day.preview(field.race + 1) }
    _ = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "7")
    try await day.pass(to: "2031-06-04T00:59:59Z")
    #expect(try await day.preview(field.race).waitingFor?.activities.isEmpty == true)
    await expectRefusal("grace") { try await day.settle(field.race) }
    try await day.pass(to: RaceDay.due)
    #expect(try await day.preview(field.race).waitingFor?.activities.count == 1)
    await expectRefusal("hold") { try await day.settle(field.race) }
    #expect(try await day.session.query("SELECT count(*) FROM racing.settlement").one(Int64.self) == 0)
    try await day.validate()
    #expect(try await day.settle(field.race).settledAt != nil)
    await expectRefusal("status") { try await day.settle(field.race) }
    await expectRefusal("status") { try await day.preview(field.race) }
    #expect(try await day.differences() == [])
  }

  @Test func `a preview before the end of a race shows what it would pay now, and then pays what it shows then`()
    async throws
  {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, nil])
    let early = try await day.preview(field.race)
    #expect(early.result.payouts.map(\.entryId) == Array(field.entries.prefix(3)))
    #expect(early.waitingFor?.reason == "end" && early.waitingFor?.activities.isEmpty == true)
    #expect(early.settledAt == nil)
    #expect(try await day.course.status(field.race) == "active")
    _ = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "7")
    try await day.validate()
    #expect(try await day.preview(field.race).result.payouts.first?.entryId == field.entries[3])
    try await day.pass(to: RaceDay.due)
    let preview = try await day.preview(field.race)
    #expect(try await day.settle(field.race, expecting: preview.inputHash).result == preview.result)
    #expect(try await day.session.query("SELECT count(*) FROM racing.settlement").one(Int64.self) == 1)
    #expect(try await day.differences() == [])
  }

  @Test func `a preview waits for no lock on the race, its wallets or its activities`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.pass(to: RaceDay.due)
    let expected = try await day.preview(field.race)
    let other = try await day.course.database.connect()
    try await other.script(
      """
      BEGIN; SELECT FROM racing.race FOR UPDATE; SELECT FROM racing.wallet FOR UPDATE;
      SELECT FROM racing.activity FOR UPDATE
      """)
    #expect(try await day.preview(field.race) == expected)
    try await other.script("ROLLBACK")
  }

  enum Move: CaseIterable {
    case removedEntry, newBest, betterHeld, newEntry
  }

  @Test(arguments: Move.allCases)
  func `a settlement with a preview's hash is refused when an input has changed`(_ move: Move) async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    let late = try await day.course.athlete()
    if move != .newEntry { _ = try await day.course.enter(late, field.race) }
    try await day.pass(to: "2031-06-04T00:30:00Z")
    let hash = try await day.preview(field.race).inputHash
    #expect(try await day.preview(field.race).inputHash == hash)
    switch move {
    case .removedEntry: try await day.remove(field.entries[3])
    case .newBest:
      _ = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "3.001")
      try await day.validate()
    case .betterHeld: _ = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "3.001")
    case .newEntry:
      try await day.session.execute(
        """
        INSERT INTO racing.entry (race_id, athlete_id, fee_pence, entered_at)
        VALUES (\(field.race), \(late), 100, settled.clock())
        """)
    }
    try await day.pass(to: RaceDay.due)
    await expectRefusal("hash") { try await day.settle(field.race, expecting: hash) }
    #expect(try await day.course.status(field.race) == "ended")
  }

  @Test func `an override of the grace period accepts the hash of its preview`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.pass(to: "2031-06-04T00:30:00Z")
    let preview = try await day.preview(field.race)
    let settled = try await day.settle(field.race, expecting: preview.inputHash, overriding: true)
    #expect(settled.result == preview.result)
    #expect(settled.inputHash == preview.inputHash)
    let kept: Statement = "SELECT input_hash FROM racing.settlement WHERE race_id = \(field.race)"
    #expect(try await day.session.query(kept).one(String.self) == preview.inputHash)
    let due = "SELECT due_at = settled.clock() FROM racing.race WHERE id = \(field.race)" as Statement
    #expect(try await day.session.query(due).one(Bool.self))
    // An activity that comes in now is after the results.
    _ = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "9")
    try await day.validate()
    #expect(try await day.differences() == [])
  }

  @Test func `an override is refused when its instant excludes activities that its preview counted`()
    async throws
  {
    let day = try await RaceDay()
    var field = try await day.field([6000, 5000, 4000, 3000])
    try await day.pass(to: "2031-06-04T00:30:00Z")
    // Imported at the very instant: in time for the race, but not for an override at this instant.
    field.activities.append(try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "9"))
    try await day.validate()
    let preview = try await day.preview(field.race)
    await expectRefusal("hash") { try await day.settle(field.race, expecting: preview.inputHash, overriding: true) }
    #expect(try await day.course.status(field.race) == "ended")
    // A moment later it is what was shown.
    try await day.pass(to: "2031-06-04T00:30:00.000001Z")
    let settled = try await day.settle(field.race, expecting: preview.inputHash, overriding: true)
    #expect(settled.result == preview.result)
    #expect(try await day.differences() == [])
  }

  @Test func `a settlement with a preview's hash succeeds when only irrelevant rows changed`() async throws {
    let day = try await RaceDay()
    let field = try await day.field([6000, 5000, 4000, 3000])
    try await day.pass(to: "2031-06-04T00:30:00Z")
    let preview = try await day.preview(field.race)
    _ = try await day.course.outing(field.athletes[3], stravaId: 500, maxSpeed: "2.9")
    try await day.pass(to: RaceDay.due)
    let settled = try await day.settle(field.race, expecting: preview.inputHash)
    #expect(settled.result == preview.result)
    #expect(settled.inputHash == preview.inputHash)
    #expect(try await day.differences() == [])
  }
}

/// Expects a refusal of racing by its rule.
private func expectRefusal<Value>(
  _ rule: String, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Value
) async {
  do {
    _ = try await body()
    Issue.record("was not refused with \(rule)", sourceLocation: location)
  } catch {
    #expect((error as? CommandError)?.rule == rule, "\(error)", sourceLocation: location)
  }
}
