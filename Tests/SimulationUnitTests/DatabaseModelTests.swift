import Postgres
import Simulation
import Testing

/// Cases that look like faults of the model, and are PostgreSQL's rules.
@Suite("The model of the database") struct DatabaseModelTests {
  private typealias Model = DatabaseModel

  private static let pauses = Model.RetryPauses([.seconds(10), .seconds(40)], attemptsMax: 2)

  private static func instant(_ seconds: Int64) -> Timestamp { Timestamp(microseconds: seconds * 1_000_000) }

  /// A model at second 1000 with items 1 to 3, due at seconds 101 to 103, a resource, and a node that is not marked.
  private static func world(deadlockTimeout: Duration = .seconds(1)) -> Model {
    var model = Model(time: instant(1000), deadlockTimeout: deadlockTimeout)
    for key in Int64(1)...3 { model.insert(.item(job: "a", key: key), .item(Content.Item(dueAt: instant(100 + key)))) }
    for key in Int64(1)...2 { model.insert(.resource(key), .resource(0)) }
    let session = model.connect(node: "n")
    model.run(.addNode("n"), session)
    model.run(.takeName("n", last: nil), session)
    model.run(.register("n"), session)
    return model
  }

  private static func keys(_ outcome: Model.Outcome) -> [Int64]? {
    if case .done(let answer) = outcome { answer.keys } else { nil }
  }

  // MARK: Rows

  @Test func `a claim passes over the rows that another transaction holds`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    model.begin(one)
    #expect(Self.keys(model.run(.claim(.init("a", limit: 2)), one)) == [1, 2])
    #expect(Self.keys(model.run(.claim(.init("a", limit: 2)), other)) == [3])
  }

  @Test func `a waiting claim checks the row's new version and leaves out a row that is done`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    model.begin(one)
    model.run(.claim(.init("a", limit: 1)), one)
    model.begin(other)
    #expect(model.run(.claim(.init("a", limit: 1, mode: .wait, only: 1)), other) == .waits)
    #expect(model.blockers(of: other) == [one])
    model.run(.finish(job: "a", keys: [1]), one)
    _ = model.commit(one)
    #expect(model.takeResumed().map(\.outcome) == [.done(.rows([]))])
    // The row stays locked although it does not qualify.
    #expect(model.run(.remove(job: "a", key: 1), one) == .waits)
    model.rollback(other)
    #expect(model[.item(job: "a", key: 1)] == nil)
  }

  @Test func `a row that was deleted and inserted again meanwhile is another row`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    model.begin(one)
    model.run(.remove(job: "a", key: 1), one)
    model.run(.schedule(job: "a", key: 1, dueAt: Self.instant(50)), one)
    #expect(model.run(.claim(.init("a", limit: 1, mode: .wait, only: 1)), other) == .waits)
    _ = model.commit(one)
    #expect(model.takeResumed().map(\.outcome) == [.done(.rows([]))])
    #expect(Self.keys(model.run(.claim(.init("a", limit: 1)), other)) == [1])
  }

  @Test func `a statement that waited for one row finds the changes of the next one`() {
    var model = Self.world()
    let (one, other, third) = (model.connect(), model.connect(), model.connect())
    model.begin(one)
    model.run(.claim(.init("a", limit: 1)), one)
    #expect(model.run(.claim(.init("a", limit: 2, mode: .wait)), other) == .waits)
    model.run(.finish(job: "a", keys: [2]), third)
    model.rollback(one)
    #expect(model.takeResumed().compactMap { Self.keys($0.outcome) } == [[1, 3]])
  }

  @Test func `waiting statements get a row in their order, and each begins its wait again`() {
    var model = Self.world()
    let (one, second, third) = (model.connect(), model.connect(), model.connect())
    for session in [one, second, third] { model.begin(session) }
    model.run(.lockResources([1]), one)
    model.run(.lockTimeout(.seconds(5)), third)
    #expect(model.run(.lockResources([1]), second) == .waits)
    #expect(model.run(.lockResources([1]), third) == .waits)
    #expect(model.blockers(of: third) == [second])
    model.pass(4)
    model.rollback(one)
    #expect(model.takeResumed().map(\.session) == [second])
    model.pass(4)
    #expect(model.isWaiting(third))
    #expect(model.blockers(of: third) == [second])
    model.pass(2)
    #expect(model.takeResumed().map(\.outcome) == [.failed("55P03")])
  }

  @Test func `an insertion waits for the deletion of its key and then succeeds`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    model.run(.takeLeases(job: "a", keys: [1], owner: "x"), one)
    model.begin(one)
    model.run(.giveBack(job: "a", generations: [1]), one)
    #expect(model.run(.takeLeases(job: "a", keys: [1], owner: "y"), other) == .waits)
    _ = model.commit(one)
    let lease = model.takeResumed().first.flatMap {
      if case .done(let answer) = $0.outcome { answer.rows.first } else { nil }
    }
    #expect(lease?.content.lease?.owner == "y")
    #expect(lease?.content.lease?.generation == 2)
  }

  @Test func `a delay that may not be written locks its row all the same`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    model.run(.recordFailure(job: "a", keys: [1], Self.pauses), one)
    model.begin(one)
    #expect(model.run(.recordDelay(job: "a", key: 1), one) == .done(.rows([])))
    #expect(model.run(.clearFailures(job: "a", keys: [1]), other) == .waits)
  }

  // MARK: Locks

  @Test func `the transaction that closes a circle fails, and frees its rows at once`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    for session in [one, other] { model.begin(session) }
    model.run(.add(1, resource: 1), one)
    model.run(.add(1, resource: 2), other)
    #expect(model.run(.lockResources([2]), one) == .waits)
    model.advance(to: Self.instant(1002))
    #expect(model.takeResumed().isEmpty)
    #expect(model.run(.lockResources([1]), other) == .waits)
    model.advance(to: Self.instant(1004))
    #expect(model.takeResumed().map(\.session) == [other, one])
    #expect(model.run(.lockResources([2]), other) == .failed("25P02"))
    #expect(model.commit(other) == .failed("25P02"))
    _ = model.commit(one)
    #expect(model[.resource(1)] == .resource(1))
    #expect(model[.resource(2)] == .resource(0))
  }

  @Test func `the earlier of two waits finds the deadlock where its check comes first`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    for session in [one, other] { model.begin(session) }
    model.run(.lockResources([1]), one)
    model.run(.lockResources([2]), other)
    model.run(.lockResources([2]), one)
    model.run(.lockResources([1]), other)
    #expect(model.nextTimer == Self.instant(1001))
    model.advance(to: Self.instant(1001))
    let outcomes = model.takeResumed()
    #expect(outcomes.map(\.session) == [one, other])
    #expect(outcomes.first?.outcome == .failed("40P01"))
  }

  @Test func `the locks and the name of a session end with it`() {
    var model = Self.world()
    let (one, other) = (model.connect(node: "m"), model.connect(node: "m"))
    model.run(.addNode("m"), one)
    #expect(Self.keys(model.run(.takeName("m", last: nil), one)) == [0])
    model.begin(one)
    model.run(.lockResources([1]), one)
    #expect(Self.keys(model.run(.takeName("m", last: nil), other)) == [])
    #expect(model.run(.lockResources([1]), other) == .waits)
    model.lose(one)
    #expect(model.takeResumed().map(\.session) == [other])
    #expect(Self.keys(model.run(.takeName("m", last: nil), other)) == [0])
  }

  @Test(arguments: [false, true])
  func `a failure leaves the order of ids open if it frees a row and a place in a line`(hasOther: Bool) {
    var model = Self.world()
    let (holder, second, failing) = (model.connect(), model.connect(), model.connect())
    let (behind, other) = (model.connect(), model.connect())
    for session in [holder, second] {
      model.begin(session)
      model.run(.add(1, resource: 2), session)
    }
    model.run(.lockResources([1, 2]), failing)
    model.run(.lockResources([2]), behind)
    if hasOther { model.run(.lockResources([1]), other) }
    model.rollback(holder)
    #expect(!model.leftOrderOpen)
    model.cancel(failing)
    #expect(model.leftOrderOpen == hasOther)
  }

  // MARK: Notifications and the mark

  @Test func `a notification exists after the commit, once for each text`() {
    var model = Self.world()
    let (listener, writer) = (model.connect(), model.connect(node: "n"))
    model.run(.listen, listener)
    model.run(.setNeedsNotify("n", true), writer)
    model.begin(writer)
    for key in Int64(4)...6 { model.run(.schedule(job: "a", key: key, dueAt: Self.instant(1)), writer) }
    model.run(.notify(""), writer)
    #expect(model.takeNotifications(listener).isEmpty)
    _ = model.commit(writer)
    #expect(model.takeNotifications(listener).map(\.payload) == ["n", ""])
    #expect(model.takeNotifications(listener).isEmpty)
  }

  @Test func `a transaction that clears the mark reads it as cleared, and nobody else does before its commit`() {
    var model = Self.world()
    let (listener, node, writer) = (model.connect(), model.connect(node: "n"), model.connect())
    model.run(.listen, listener)
    model.run(.setNeedsNotify("n", true), node)
    model.begin(node)
    model.run(.setNeedsNotify("n", false), node)
    model.run(.schedule(job: "a", key: 4, dueAt: Self.instant(1)), node)
    model.run(.schedule(job: "a", key: 5, dueAt: Self.instant(1)), writer)
    #expect(model.takeNotifications(listener).map(\.sender) == [writer])
    _ = model.commit(node)
    model.run(.schedule(job: "a", key: 6, dueAt: Self.instant(1)), writer)
    #expect(model.takeNotifications(listener).isEmpty)
  }

  @Test func `a writer who read the mark before it was committed stays silent, and holds the horizon back`() {
    var model = Self.world()
    let (listener, node, writer) = (model.connect(), model.connect(node: "n"), model.connect())
    model.run(.listen, listener)
    model.begin(writer)
    model.run(.schedule(job: "a", key: 4, dueAt: Self.instant(1)), writer)
    model.run(.setNeedsNotify("n", true), node)
    let first = model.poll(node)
    #expect(first.oldest < first.next)
    #expect(first.jobs["a"]?.dueAt == Self.instant(101))
    _ = model.commit(writer)
    #expect(model.takeNotifications(listener).isEmpty)
    let second = model.poll(node)
    #expect(second.oldest >= first.next)
    #expect(second.jobs["a"]?.dueAt == Self.instant(1))
  }

  @Test func `a poll does not see writers who began after the last transaction that has ended`() {
    var model = Self.world()
    let (listener, node, writer) = (model.connect(), model.connect(node: "n"), model.connect())
    model.run(.listen, listener)
    // The mark has its id and is not committed yet.
    model.begin(node)
    model.run(.setNeedsNotify("n", true), node)
    model.begin(writer)
    model.run(.schedule(job: "a", key: 4, dueAt: Self.instant(1)), writer)
    _ = model.commit(node)
    let poll = model.poll(node)
    #expect(poll.oldest == poll.next)
    _ = model.commit(writer)
    #expect(model.takeNotifications(listener).isEmpty)
  }

  @Test func `a session hears nothing during its transaction, and everything after it`() {
    var model = Self.world()
    let (listener, writer) = (model.connect(), model.connect())
    model.run(.listen, listener)
    model.begin(listener)
    model.run(.notify("x"), writer)
    #expect(model.takeNotifications(listener).isEmpty)
    model.rollback(listener)
    #expect(model.takeNotifications(listener).map(\.payload) == ["x"])
  }

  @Test func `a queue that is half full silences writers, and a full one fails those who notified before`() {
    var model = Self.world()
    let (listener, writer) = (model.connect(), model.connect())
    model.run(.listen, listener)
    model.queueUsage = 0.5
    #expect(model.run(.notify("x"), writer) == .done(.rows([])))
    #expect(model.takeNotifications(listener).isEmpty)
    model.queueUsage = 0
    model.begin(writer)
    model.run(.add(1, resource: 1), writer)
    model.run(.notify("x"), writer)
    model.queueUsage = 1
    #expect(model.commit(writer) == .failed("54000"))
    #expect(model[.resource(1)] == .resource(0))
  }

  // MARK: Commits and gates

  @Test func `a commit whose answer is lost is a commit`() {
    var model = Self.world()
    let (listener, one) = (model.connect(), model.connect())
    model.run(.listen, listener)
    model.begin(one)
    model.run(.claim(.init("a", limit: 1)), one)
    model.run(.finish(job: "a", keys: [1]), one)
    model.run(.notify("x"), one)
    _ = model.commit(one)
    model.lose(one)
    #expect(model.takeNotifications(listener).map(\.payload) == ["x"])
    #expect(Self.keys(model.run(.claim(.init("a", limit: 3)), listener)) == [2, 3])
  }

  @Test func `a gate that closes between the locks and the question is seen`() {
    var model = Self.world()
    let (one, other) = (model.connect(), model.connect())
    for close: Model.Statement in [
      .pause(job: "a", true), .stopClock(node: "n", difference: .seconds(9), jump: .seconds(1)),
      .stopJobs(node: "n", ["a"]),
    ] {
      var model = model
      model.begin(one)
      #expect(Self.keys(model.run(.claim(.init("a", limit: 1)), one)) == [1])
      #expect(model.run(.gate(job: "a"), one) == .done(.flag(true)))
      model.run(close, other)
      #expect(model.run(.gate(job: "a"), one) == .done(.flag(false)))
    }
  }

  @Test func `an item is held back by its failure until its pause is over, and for good from the last attempt on`() {
    var model = Self.world()
    let one = model.connect()
    model.run(.recordFailure(job: "a", keys: [1], Self.pauses), one)
    #expect(Self.keys(model.run(.claim(.init("a", limit: 1)), one)) == [2])
    model.advance(to: Self.instant(1010))
    #expect(Self.keys(model.run(.claim(.init("a", limit: 1)), one)) == [1])
    model.run(.recordFailure(job: "a", keys: [1], Self.pauses), one)
    model.advance(to: Self.instant(9999))
    #expect(Self.keys(model.run(.claim(.init("a", limit: 1)), one)) == [2])
  }

  @Test func `another node's heartbeat removes a mark once its node was silent for long and its session is gone`() {
    var model = Self.world()
    let (dead, node) = (model.connect(node: "dead"), model.connect(node: "n"))
    for statement: Model.Statement in [
      .addNode("dead"), .takeName("dead", last: nil), .register("dead"), .setNeedsNotify("dead", true),
    ] { model.run(statement, dead) }
    let beat = Model.Statement.beat("n", state: "ready", needsNotify: false)
    model.advance(to: Self.instant(2000))
    model.run(beat, node)
    #expect(model[.node("dead")]?.node?.needsNotify == true)
    model.lose(dead)
    model.run(beat, node)
    #expect(model[.node("dead")]?.node?.needsNotify == false)
    #expect(model[.node("dead")]?.node?.state == "gone")
  }
}

extension DatabaseModel {
  @discardableResult
  fileprivate mutating func run(_ statement: Statement, _ session: SessionID) -> Outcome {
    execute(statement, in: session)
  }

  fileprivate mutating func poll(_ session: SessionID) -> Poll {
    guard case .done(.poll(let poll)) = run(.poll([.init("a")]), session) else { preconditionFailure("no poll") }
    return poll
  }

  fileprivate mutating func pass(_ seconds: Int64) {
    advance(to: Timestamp(microseconds: time.microseconds + seconds * 1_000_000))
  }
}
