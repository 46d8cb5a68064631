@testable import Engine
import Postgres
import Testing

@Suite("A run of batches") struct BatchesTests {
  private static let bad = PostgresError(.server, "no such value", sqlState: "22000")
  private static let denied = PostgresError(.server, "permission denied", sqlState: "42501")
  private static let locked = PostgresError(.server, "locked", sqlState: "55P03")
  private static let tooLittle = PostgresError(.server, "no room", sqlState: "53100")
  private static let lost = PostgresError(.connection, "gone")

  // MARK: Size and room

  @Test func `batches grow by a factor of eight while they are quick, and a run ends when nothing is left`() {
    var run = BatchRun(1...100)
    let outcome = run.all()
    #expect(run.batches == [[1], Array(2...9), Array(10...73), Array(74...100), []])
    #expect(outcome.items == 100 && outcome.interruption == nil)
  }

  @Test func `a batch of fixed size that finds fewer items ends the run`() {
    var run = BatchRun(1...100, rules: .short)
    #expect(run.all().items == 100)
    #expect(run.batches == [Array(1...64), Array(65...100)])
  }

  @Test func `a batch never takes more items than there is room for, and without room the run ends`() {
    var run = BatchRun(1...10, rules: .short)
    run.room = 3
    #expect(run.all().items == 3)
    #expect(run.batches == [[1, 2, 3]])
  }

  @Test func `a stopped run claims nothing more, and records what has failed`() {
    var run = BatchRun(1...10)
    run.errors = [1: Self.bad]
    run.stopsAfter = 1
    #expect(run.all().items == 1)
    #expect(run.batches == [[1]] && run.recorded == [1])
  }

  // MARK: Blame

  @Test func `the items of a failed batch are tried one by one, and the failure is recorded of the one that fails`() {
    var run = BatchRun(1...9)
    run.errors = [4: Self.bad]
    #expect(run.all().items == 9)
    #expect(run.recorded == [4] && run.alone == Array(2...9))
    #expect(run.observed == ["split"])
  }

  @Test func `an item that fails in a batch of its own is not tried a second time`() {
    var run = BatchRun(1...1)
    run.errors = [1: Self.bad]
    #expect(run.all().items == 1)
    #expect(run.recorded == [1] && run.alone.isEmpty)
  }

  @Test func `a failure that may be the server's counts where another item succeeds`() {
    var run = BatchRun(1...5)
    run.errors = [2: Self.denied]
    #expect(run.all().interruption == nil)
    #expect(run.recorded == [2] && run.due.isEmpty)
  }

  @Test
  func `a failure that may be the server's interrupts the run where no item succeeds, and others come first then`() {
    var run = BatchRun(1...2)
    run.errors = [1: Self.denied, 2: Self.denied]
    #expect(run.all().interruption as? PostgresError == Self.denied)
    #expect(run.recorded.isEmpty)
    run.due.insert(3)
    run.batches = []
    #expect(run.all().interruption == nil)
    #expect(run.batches.first == [3])
    #expect(run.recorded == [1, 2])
  }

  @Test func `an item for which the server has too little is tried once more, and never counts`() {
    var run = BatchRun(1...5)
    run.errors = [2: Self.tooLittle]
    #expect(run.all().interruption == nil)
    #expect(run.recorded.isEmpty && run.due == [2])
    #expect(run.alone.count { $0 == 2 } == 2)
  }

  @Test func `a runner that counts nothing doubtful leaves such items to its next runs`() {
    var run = BatchRun(1...5, rules: .leased)
    run.errors = [2: Self.denied, 3: Self.tooLittle, 4: Self.locked]
    #expect(run.all().interruption == nil)
    #expect(run.recorded.isEmpty && run.due == [2, 3, 4])
    run.due.insert(6)
    run.batches = []
    #expect(run.all().interruption == nil && run.due == [2, 3, 4])
    #expect(run.batches.first == [6])
  }

  @Test func `a lost connection interrupts the run, and a single item that met it comes last in the next one`() {
    var run = BatchRun(1...3)
    run.errors = [1: Self.lost]
    #expect(run.all().interruption as? PostgresError == Self.lost)
    #expect(run.batches == [[1]])
    run.batches = []
    #expect(run.all().interruption as? PostgresError == Self.lost)
    #expect(run.batches == [[2], [3], [], [1]])
    #expect(run.recorded.isEmpty && run.due == [1])
  }

  @Test func `a failure that cannot be recorded interrupts the run`() {
    var run = BatchRun(1...3)
    run.errors = [1: Self.bad]
    run.recordError = Self.lost
    #expect(run.all().interruption as? PostgresError == Self.lost)
  }

  // MARK: Items that are left for later

  @Test func `items that are not ready are left out for the run, and come after all others in the next one`() {
    var run = BatchRun(1...5, rules: .leased)
    run.unready = [1, 2]
    #expect(run.all().items == 3)
    #expect(run.batches == [[1, 2, 3, 4, 5]])
    run.due.insert(9)
    run.batches = []
    #expect(run.all().items == 1)
    #expect(run.all().items == 0)
    #expect(run.batches == [[9], [], [1, 2]])
  }

  @Test func `a batch that meets a lock writes the others, and leaves the locked ones out from then on`() {
    var run = BatchRun(1...20)
    run.errors = [3: Self.locked]
    #expect(run.all().items == 19)
    #expect(run.due == [3] && run.alone.isEmpty)
    #expect(run.value.leftOut == [3] && run.value.hasLocked)
    run.due.insert(21)
    run.batches = []
    #expect(run.all().items == 1)
    #expect(run.batches == [[21], []])
  }

  @Test func `an item that was waited for takes part in batches again, and so do others that wait`() {
    var run = BatchRun(1...20)
    run.errors = [3: Self.locked, 7: Self.locked]
    for _ in 1...4 { run.all() }
    #expect(run.value.toWaitFor(in: [3, 7]) == 3)
    run.value.waited(for: 3)
    #expect(run.value.leftOut.isEmpty)
  }

  @Test func `an item that is waited for in vain for a minute is listed, and one that fails is recorded`() {
    var run = BatchRun(1...2)
    run.errors = [2: Self.locked]
    run.all()
    func wait(_ error: PostgresError, at seconds: Int) -> String {
      "\(run.value.waited(for: 2, error, now: .seconds(seconds)))"
    }
    #expect(wait(Self.locked, at: 30) == "none")
    #expect(wait(Self.locked, at: 90) == "listLocked")
    #expect(wait(Self.tooLittle, at: 90) == "listSpared")
    #expect(wait(Self.bad, at: 90) == "record(isCounted: false)")
    #expect(wait(Self.denied, at: 90) == "none" && run.value.leftOut.isEmpty)
  }

  @Test func `the rest of a failed batch goes in a batch again after eight items that stay due`() {
    var run = BatchRun(1...200)
    run.avoids = false
    for key in Int64(10)...25 { run.errors[key] = Self.locked }
    run.all()
    #expect(run.due == Set(10...25) && run.alone.count < 40)
    #expect(run.batches.contains { $0.count > 8 && $0.allSatisfy { $0 > 25 } })
  }

  // MARK: Lanes

  @Test func `other lanes claim while batches of eight or more are full`() {
    var run = BatchRun(1...200)
    run.all()
    #expect(run.batches.map(\.count) == [1, 8, 64, 64, 63, 0])
    #expect(run.openLanes == [2, 3, 4])
  }

  @Test func `a run that has met a failure claims alone until its end`() {
    var run = BatchRun(1...200)
    run.errors = [40: Self.bad]
    run.all()
    #expect(run.openLanes == [2])
    run.due.formUnion(1...200)
    run.errors = [:]
    run.all()
    #expect(run.openLanes.count > 1)
  }

  @Test func `the run after a failure in another lane claims alone too`() {
    var run = BatchRun(1...200)
    run.value.laneFailed()
    for expected in [0, 3] {
      run.due.formUnion(1...200)
      run.openLanes = []
      run.all()
      #expect(run.openLanes.count == expected)
    }
  }

  @Test func `one lane claims during crash recovery`() {
    var run = BatchRun(1...200)
    run.value.recoverFromCrash()
    run.all()
    #expect(run.openLanes == [])
  }

  // MARK: After a crash

  @Test func `suspects go alone after a crash, after all others, and recovery ends when there is none`() {
    var run = BatchRun(1...10)
    run.value.recoverFromCrash()
    run.suspects = [2, 3]
    #expect(run.all().items == 10)
    #expect(run.alone == [2, 3] && run.batches.first == [1])
    #expect(!run.value.isRecovering)
  }

  @Test func `the count of an attempt stands only where the item alone is at fault`() {
    var run = BatchRun(1...2)
    #expect(run.value.uncounted([1, 2], after: Self.bad).isEmpty)
    run.value.recoverFromCrash()
    #expect(run.value.uncounted([1, 2], after: Self.bad) == [1, 2])
    #expect(run.value.uncounted([1], after: Self.bad).isEmpty)
    #expect(run.value.uncounted([1], after: Self.denied) == [1])
  }
}

/// Due items, some of which fail each time, and a value that decides what is tried.
private struct BatchRun {
  var value: Batches<Int64>
  var due: Set<Int64>
  /// The error that an item causes.
  var errors: [Int64: PostgresError] = [:]
  var unready: Set<Int64> = []
  var suspects: [Int64] = []
  /// Whether a batch can tell which of its items others have locked.
  var avoids = true
  var room = Int.max
  var stopsAfter = Int.max
  var recordError: PostgresError?
  private(set) var now: Duration = .zero
  // What was done.
  var batches: [[Int64]] = []
  private(set) var alone: [Int64] = []
  private(set) var recorded: [Int64] = []
  private(set) var observed: [String] = []
  /// After how many batches other lanes might claim.
  var openLanes: [Int] = []

  init(_ due: ClosedRange<Int64>, rules: Batches<Int64>.Rules = .init(largest: 64, target: .milliseconds(100))) {
    self.due = Set(due)
    value = Batches("a", rules)
  }

  @discardableResult mutating func all() -> RunOutcome {
    value.begin()
    while true {
      now += .milliseconds(1)
      if value.sizeForLanes != nil { openLanes.append(batches.count) }
      let step = value.next(now: now, isStopped: batches.count >= stopsAfter, room: room)
      for case .batchSplit in value.takeNews() { observed.append("split") }
      switch step {
      case .findSuspects: value.suspected(suspects.filter(due.contains), ready: suspects.filter(due.contains))
      case .batch(let limit, let avoidsLocked): batch(limit, avoidsLocked: avoidsLocked)
      case .alone(let key):
        alone.append(key)
        attempt([key])
      case .record(let key, _, _):
        if let recordError {
          value.failed(recordError, now: now)
        } else {
          recorded.append(key)
          due.remove(key)
          value.recorded(now: now)
        }
      case .findLeft: value.found(left: due.sorted(), now: now)
      case .end(let outcome): return outcome
      }
    }
  }

  private mutating func batch(_ limit: Int, avoidsLocked: Bool) {
    let out = Set(value.leftOut)
    let keys = Array(due.filter { !out.contains($0) }.sorted().prefix(limit))
    let locked = avoidsLocked && avoids ? keys.filter { errors[$0]?.verdict == .contention } : []
    if !avoidsLocked { batches.append(keys) }
    attempt(keys.filter { !locked.contains($0) }, locked: Set(locked))
  }

  private mutating func attempt(_ keys: [Int64], locked: Set<Int64> = []) {
    if let error = keys.compactMap({ errors[$0] }).first { return value.failed(error, claimed: keys, now: now) }
    let done = keys.filter { !unready.contains($0) && due.contains($0) }
    due.subtract(done)
    room -= min(room, done.count)
    value.done(done, locked: locked, notReady: keys.filter(unready.contains), lockedFor: .milliseconds(1), now: now)
  }
}

extension Batches.Rules {
  fileprivate static var short: Self {
    var rules = Self(largest: 64)
    rules.endsShort = true
    return rules
  }

  fileprivate static var leased: Self {
    var rules = short
    (rules.waitsForLocked, rules.countsDoubtful) = (false, false)
    return rules
  }
}
