@testable import Simulation
import Testing

/// Nodes over the model of the database, in virtual time: seeds that `deploy/simulate` has found, once more.
@Suite("Simulated nodes") struct SimulatorTests {
  /// Of each planted fault, a history that shows it.
  private static let seeds: [Plant: UInt64] = [
    .markDropped: 1, .idBeforeMark: 144, .registeredLate: 1, .beatUnmarks: 4, .beatsDropped: 41, .unmarkDropped: 44,
    .notificationsDropped: 6, .notificationsWake: 46, .pollAnswersDoubled: 7, .sleepsDoubled: 41, .sleepersWoken: 5,
    .startsDoubled: 1, .startsDropped: 1, .endsDropped: 1, .roomDropped: 1, .drainDropped: 33, .gateIgnored: 45,
    .claimUnlocked: 1, .commitRepeated: 41, .leaseUnchecked: 99, .neighbourBlamed: 37, .recoverySkipped: 8,
    .clockUnjudged: 3, .restoreUnseen: 4, .deafnessHidden: 119,
  ]

  /// A run that reconnects a moment after a restore, which seeds seldom meet.
  private static let reconnection: History = {
    var history = History(seed: 1156, nodes: 1)
    history.length = .seconds(60)
    history.entries = [
      History.Entry(at: .seconds(20), act: .write(job: "careful", count: 400, dueIn: .zero, holds: .zero)),
      History.Entry(at: .microseconds(23_690_759), act: .freeze(node: 0, .milliseconds(3_391))),
      History.Entry(at: .microseconds(27_375_759), act: .restore(age: .seconds(1), accepted: .seconds(20))),
    ]
    return history
  }()

  @Test(arguments: Plant.allCases) func `a planted fault is found by its recorded seed`(_ plant: Plant) throws {
    let seed = Self.seeds[plant].map { History(seed: $0) }
    let history = try #require(plant == .restoreUnseenByWork ? Self.reconnection : seed)
    var search = Search(plant: plant)
    let finding = search.run(history)
    #expect(finding != nil, "seed \(history.seed)")
  }

  @Test func `16 nodes that saw the same jump of the clock end their stops without a deadlock`() {
    var history = History(seed: 267_420_460, nodes: 16)
    history.length = .seconds(120)
    history.entries = [
      History.Entry(
        at: .milliseconds(10_270), act: .drizzle(job: "careful", count: 4, apps: 30, apart: .seconds(2))),
      History.Entry(
        at: .milliseconds(11_466), act: .jump(by: .seconds(1_936), .milliseconds(8_711), isAccepted: false)),
    ]
    var search = Search()
    let finding = search.run(history)
    #expect(finding == nil, "\(finding?.violation ?? "")")
  }

  @Test func `64 nodes cost fewer than two statements each for an item`() throws {
    let cost = try CalmCost.single(nodes: 64, items: 30)
    #expect(cost.lateness.count == 30 && cost.lateness(at: 1) < .milliseconds(50))
    #expect(cost.statements < 2 * 64 * 30)
  }

  @Test func `a run that reconnects after a restore stops before its next claim`() {
    var search = Search()
    let finding = search.run(Self.reconnection)
    #expect(finding == nil, "\(finding?.violation ?? "")")
    #expect(search.served > 0)
  }

  /// Beside four plain seeds, each of these had shown a mistake of the nodes or of the checks:
  ///
  /// - The clocks of all hosts are wrong for a time.
  /// - The queue of notifications fills up during a COMMIT.
  /// - The clock jumps twice before an operator accepts it.
  /// - The database is restored while the clock is wrong.
  /// - A writer that did not see the mark commits among many polls.
  /// - A node is deaf for a time.
  /// - A host is corrected after an acceptance.
  /// - A calm outlasts the rest in which it began.
  /// - Two jumps differ by less than ten minutes.
  /// - A node restarts in the middle of a long herd.
  /// - Two jumps differ by five to ten minutes, so that every host is off.
  /// - The clock jumps between a restore and a node's next poll.
  /// - The clock jumps again while a node is away that has stopped it before.
  @Test(arguments: [
    1, 2, 3, 4, 1_910_763_048, 3_301_910_523, 3_399_039_405, 1_207_862_419, 1_057_616_556, 3_954_535_169, 952_505_789,
    3_365_360_225, 2_515_682_412, 2_515_687_329, 3_615_691_540, 5_000_000_049,
    5_000_001_470,
  ])
  func `nodes without a planted fault serve everything once and in time`(_ seed: UInt64) {
    var search = Search()
    let finding = search.run(History(seed: seed))
    #expect(finding == nil, "seed \(seed) fails \(finding?.violation ?? "")")
    #expect(search.served > 0)
  }

  @Test func `ten thousand items that fall due at one instant make few polls`() {
    var history = History(seed: 1, nodes: 4)
    history.length = .seconds(90)
    let herd = History.Act.write(job: "chore", count: 10_000, dueIn: .seconds(60), holds: .zero)
    history.entries = [History.Entry(at: .seconds(10), act: herd)]
    let world = World(history)
    world.run()
    #expect(world.checks.violation == nil)
    #expect(world.checks.served == 10_000 && world.checks.polls < 300)
  }

  @Test func `a seed decides everything that happens in a run`() {
    var (one, other) = (Search(), Search())
    _ = one.run(History(seed: 5))
    _ = other.run(History(seed: 5))
    #expect(one.steps == other.steps && one.served == other.served)
  }

  @Test func `the shortest history of a finding shows it too, and is shorter`() throws {
    var search = Search(plant: .claimUnlocked)
    let found = search.run(History(seed: 1))
    let finding = try #require(found)
    let shortest = search.shorten(finding, for: .seconds(60))
    #expect(shortest.history.entries.count < finding.history.entries.count)
    let again = search.run(shortest.history)
    #expect(again != nil && !shortest.trace.isEmpty)
  }
}
