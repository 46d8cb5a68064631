import DaemonSupport
import Postgres
import TestSupport
import Testing

/// Who comes first at the provider's default limits: 100 reads in 15 minutes, and 1,000 a day.
@Suite("The order of reads", .timeLimit(.minutes(4))) struct ReadOrderTests {
  /// Calls in hand at once reach the provider in any order.
  private static let parallel = 4

  @Test func `300 claims of athletes without an entry delay no claim of an entrant`() async throws {
    let it = try await ReadWorld(30)
    let (strangers, entrants) = (it.athletes.prefix(10), it.athletes.dropFirst(10))
    for stranger in strangers {
      try await it.ask(stranger, Array(stranger * 1000..<stranger * 1000 + 30), class: 2)
    }
    let node = try it.world.node()
    // A quarter of the window is theirs.
    try await it.expectReads(25, node)
    for entrant in entrants { try await it.ask(entrant, [1, 2, 3], class: 1) }
    // Two quarters are left to entrants, whose first claims all come before the second ones, and a quarter to results.
    try await it.expectReads(75, node)
    #expect(try await Set(it.readers().dropFirst(25)) == Set(entrants))
    // With the next window the entrants continue, then the others, as far as their share lasts.
    try await it.world.advance(by: 900)
    try await it.expectReads(110, node)
    #expect(try await Set(it.readers().dropFirst(75).prefix(10 - Self.parallel)).isSubset(of: entrants))
    #expect(try await Set(it.readers().dropFirst(85 + Self.parallel)).isSubset(of: strangers))
    #expect(try await it.world.provider.report().limited == 0)
    try await node.stop()
  }

  @Test func `an entrant's claim goes before all claims of athletes without an entry that wait`() async throws {
    let it = try await ReadWorld(6)
    for stranger in it.athletes.prefix(5) {
      try await it.ask(stranger, Array(stranger * 100..<stranger * 100 + 60), class: 2)
    }
    let entrant = it.athletes[5]
    try await it.ask(entrant, [1], class: 1)
    let node = try it.world.node()
    try await it.expectReads(26, node)
    let place = try await it.readers().firstIndex(of: entrant) ?? 99
    #expect(place < Self.parallel)
    try await node.stop()
  }

  @Test func `50 claims of one entrant delay the first claim of each other by at most one call`() async throws {
    let it = try await ReadWorld(10)
    let (attacker, others) = (it.athletes[0], it.athletes.dropFirst())
    try await it.ask(attacker, Array(100..<150), class: 1)
    let node = try it.world.node()
    try await untilTrue("reads of the attacker") { try await it.readers().count >= 8 }
    try await node.stop()
    let before = try await it.readers().count
    for other in others { try await it.ask(other, [1, 2], class: 1) }
    let line = try await it.world.owner.query(
      "SELECT athlete_id FROM strava.read_request ORDER BY class, turn, id LIMIT 10"
    ).decode(Int64.self)
    #expect(line.filter { $0 == attacker }.count <= 1)
    let second = try it.world.node("b")
    try await untilTrue("reads of all others") { try await Set(it.readers()).count == 10 }
    let served = try await it.readers().dropFirst(before)
    let last = others.compactMap { served.firstIndex(of: $0) }.max() ?? served.endIndex
    #expect(served.prefix(through: last).filter { $0 == attacker }.count <= Self.parallel)
    try await second.stop()
  }

  @Test func `an id that the provider does not know costs its athlete the next turn`() async throws {
    let it = try await ReadWorld(2)
    let (liar, honest) = (it.athletes[0], it.athletes[1])
    try await it.world.provider.plant(
      1000 + honest, activities: "[\(ImportWorld.summary(1)), \(ImportWorld.summary(2))]")
    for athlete in it.athletes { try await it.ask(athlete, [athlete == liar ? 50 : 1], class: 1) }
    let node = try it.world.node()
    try await it.expectReads(2, node)
    for athlete in it.athletes { try await it.ask(athlete, [athlete == liar ? 60 : 2], class: 1) }
    try await it.expectReads(4, node)
    let turns = try await it.world.owner.query(
      "SELECT read_turns[1] FROM strava.connection WHERE athlete_id = ANY(\(it.athletes)) ORDER BY athlete_id"
    ).decode(Int64.self)
    #expect(turns == [4, 2])
    try await node.stop()
  }

  @Test func `the same athlete's results, claims and hints are read in the order of their classes`() async throws {
    let it = try await ReadWorld(4)
    try await it.ask(it.athletes[3], [31, 32], class: 3)
    try await it.ask(it.athletes[2], [21, 22, 23], class: 2)
    try await it.ask(it.athletes[1], [11, 12, 13], class: 1)
    try await it.ask(it.athletes[0], [1, 2, 3, 4], class: 0)
    let node = try it.world.node()
    try await it.expectReads(12, node)
    let readers = try await it.readers()
    #expect(readers.prefix(4).allSatisfy { it.athletes.prefix(2).contains($0) })
    #expect(readers.suffix(2).contains(it.athletes[3]))
    try await node.stop()
  }

  @Test func `hints use a quarter of the reads at most, and those of results all`() async throws {
    let it = try await ReadWorld(2)
    try await it.ask(it.athletes[0], Array(1..<60), class: 3)
    let node = try it.world.node()
    try await it.expectReads(25, node)
    try await it.ask(it.athletes[1], Array(100..<200), class: 0)
    try await it.expectReads(100, node)
    #expect(try await it.readers().dropFirst(25).allSatisfy { $0 == it.athletes[1] })
    #expect(try await it.world.provider.report().limited == 0)
    try await node.stop()
  }

  @Test func `claims of entrants leave a quarter of the reads to results`() async throws {
    let it = try await ReadWorld(2)
    try await it.ask(it.athletes[0], Array(1..<100), class: 1)
    let node = try it.world.node()
    try await it.expectReads(75, node)
    try await untilTrue("the shortage is known") {
      try await it.world.number("SELECT count(*) FROM settled.clock() AS c WHERE strava.reads_short_at() = c") == 1
    }
    try await it.ask(it.athletes[1], Array(200..<220), class: 0)
    try await it.expectReads(95, node)
    try await node.stop()
  }

  @Test func `reads that others use up are no shortage, and a spent window is one until the next`() async throws {
    let it = try await ReadWorld(2)
    try await it.ask(it.athletes[0], Array(1..<60), class: 2)
    let node = try it.world.node()
    try await it.expectReads(25, node)
    let never = try await it.world.number("SELECT count(*) WHERE strava.reads_short_at() IS NULL")
    #expect(never == 1)
    try await it.ask(it.athletes[1], Array(100..<180), class: 0)
    try await it.expectReads(100, node)
    let short = try await it.world.number("SELECT count(*) WHERE strava.reads_short_at() = settled.clock()")
    #expect(short == 1)
    try await it.world.advance(by: 900)
    try await it.expectReads(130, node)
    let over = try await it.world.number("SELECT count(*) WHERE strava.reads_short_at() < settled.clock()")
    #expect(over == 1)
    try await node.stop()
  }

  @Test func `the second page of an athlete comes after the first page of another, also before results`() async throws {
    let it = try await ReadWorld(3)
    for athlete in it.athletes { try await it.askListing(athlete, 0..<12, class: 0) }
    func line() async throws -> [Int64] {
      try await it.world.owner.query("SELECT athlete_id FROM strava.read_request ORDER BY class, turn, id").decode(
        Int64.self)
    }
    #expect(try await line() == it.athletes)
    _ = try await it.world.owner.query(
      "SELECT strava.begin_reads(array_agg(id)) FROM strava.read_request WHERE athlete_id = \(it.athletes[0])")
    _ = try await it.world.owner.query(
      """
      SELECT strava.write_listing(id, began_at, since, before, 1, '[]', true) FROM strava.read_request
      WHERE athlete_id = \(it.athletes[0])
      """)
    #expect(try await line() == [it.athletes[1], it.athletes[2], it.athletes[0]])
  }

  @Test func `requests of many athletes at one instant are served in their order under high limits`() async throws {
    let it = try await ReadWorld(20)
    for limit in ["strava.read_limit_15min", "strava.read_limit_day", "strava.limit_15min", "strava.limit_day"] {
      try await it.world.set(limit, "10000")
    }
    try await it.world.provider.configure(
      ProviderSettings(limits: .init(10_000, 10_000), readLimits: .init(10_000, 10_000)))
    for athlete in it.athletes.reversed() {
      try await it.ask(athlete, Array(athlete * 100..<athlete * 100 + 10), class: 1)
    }
    let node = try it.world.node()
    try await it.expectReads(200, node)
    let readers = try await it.readers()
    // After each round every athlete was served as often, but for calls in hand.
    for round in 1...10 {
      let counts = it.athletes.map { athlete in readers.prefix(round * 20).filter { $0 == athlete }.count }
      #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 2)
    }
    #expect(try await it.waiting() == 0)
    try await node.stop()
  }
}
