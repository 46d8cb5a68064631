package import Postgres

/// One kind of timed work: its due items, and the three steps that settle a batch of them in one transaction.
///
/// The row is the job: `source` locates it in the module's own tables. The engine calls, in this order and in one READ
/// COMMITTED transaction: the claim, `gather` (whose statements have snapshots younger than the locks), `decide` for
/// each item, `apply` for all. A dry run is the same without the commit.
package protocol Job: Sendable {
  associatedtype Key: JobKey
  associatedtype Input: Sendable
  associatedtype Decision: Sendable

  /// The name that operators see: words in kebab-case.
  var name: String { get }

  /// The most items of one batch; batches grow up to it while they stay quick.
  var largestBatch: Int { get }

  /// Whether no user waits for it: between its batches it yields to the node's other jobs.
  var isBackground: Bool { get }

  /// Whether its batches may run in several lanes at once: `JobContext.lanes`.
  var usesLanes: Bool { get }

  /// Whether the job continues while a clock is wrong: then only a pause or a drain stops it.
  var ignoresClockStop: Bool { get }

  /// Whether its effects must not be repeated unseen after a restore of the database: then it waits for an operator.
  var stopsAfterRestore: Bool { get }

  /// SQL of two numbers, the items done and all items; read whenever an operator lists the jobs. Nil if there is no
  /// such count.
  var progress: String? { get }

  /// Where the items are, and when each is due. Polls and claims leave out items that a failure delays.
  var source: DueSource { get }

  /// Reads the inputs of the locked items; an item that is no longer due is left out.
  func gather(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Input]

  /// The reads of `gather`, if nothing but the keys decides them: the first batch of a run sends them with its claim.
  /// Empty: `gather` reads.
  func reads(_ keys: BatchKeys) -> [Statement]

  /// The inputs, from the answers of `reads`.
  func gather(
    _ keys: [Key], from answers: [Rows], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Input]

  /// The key of an input, under which a failing decision is recorded.
  func key(of input: Input) -> Key

  /// Decides one item: pure. An error is recorded as this item's failure.
  func decide(_ input: Input, at now: Timestamp) throws -> Decision

  /// Returns the items that cannot be written because other transactions have locked rows that they need. Locks the
  /// rows that the others need, without waiting. Called after a batch waited unsuccessfully.
  func lockedByOthers(
    _ decisions: [Decision], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Key>

  /// Writes the decisions, set by set.
  func apply(_ decisions: [Decision], at now: Timestamp, in transaction: Transaction) async throws

  /// Runs the statements of a batch with empty parameters, so that their session plans them: see `JobRunner.announce`.
  func rehearse(at now: Timestamp, in transaction: Transaction) async throws

  /// The warnings for operators about a decision, once it is committed.
  func warnings(of decision: Decision) -> [String]
}

extension Job {
  package func lock(_ request: LockRequest<Key>) -> Statement { source.lock(request, job: name) }

  package var isBackground: Bool { false }

  package var usesLanes: Bool { false }

  package var ignoresClockStop: Bool { false }

  package var stopsAfterRestore: Bool { false }

  package var progress: String? { nil }

  package func reads(_ keys: BatchKeys) -> [Statement] { [] }

  var readsWithClaim: Bool { !reads(.claimed).isEmpty }

  package func gather(
    _ keys: [Key], from answers: [Rows], at now: Timestamp, in transaction: Transaction
  ) async throws -> [Input] { try await gather(keys, at: now, in: transaction) }

  package func lockedByOthers(
    _ decisions: [Decision], at now: Timestamp, in transaction: Transaction
  ) async throws -> Set<Key> { [] }

  package func rehearse(at now: Timestamp, in transaction: Transaction) async throws {}

  package func warnings(of decision: Decision) -> [String] { [] }
}

/// A job of two steps, which reads its items and writes them: the database decides, or reading has decided.
///
/// Source: Engine.docc/Engine.md, "Where decisions are made".
package protocol TwoStepJob: Job where Input == Decision {}

extension TwoStepJob {
  package func decide(_ input: Input, at now: Timestamp) -> Input { input }
}

/// The services of its node that a job runner uses.
package struct JobContext: Sendable {
  package let pool: Pool
  package let time: Timekeeper
  package let gate: ClaimGate
  /// Identifies this run of the node in the leases that it takes: no other run of any node may use the same value.
  package let run: String
  package let observe: @Sendable (Observation) -> Void
  package let foreground = Foreground()
  package var retries = RetryPolicy()
  package var batchTarget: Duration = .milliseconds(100)
  /// How long before a known instant the first batch begins: see `Work.lead`.
  package var lead: Duration = .milliseconds(5)
  /// How many batches of a job with `usesLanes` run at once.
  package var lanes = 2
  /// The longest time that background work yields before its next batch.
  package var backgroundPause: Duration = .seconds(1)
  /// How long a batch, or an item that is tried alone, waits for locked rows. Transactions that need its own locked
  /// rows wait as long.
  package var lockWait: Duration = .milliseconds(250)
  /// How long a session of this daemon's role may be blocked on sending a result while an item waits for it: longer
  /// than any of its statements may take.
  package var hungAfter: Duration = .seconds(45)
  /// A test seam: called with job and key before each decision.
  package var beforeDecision: @Sendable (String, String) throws -> Void = { _, _ in }

  package init(
    pool: Pool, time: Timekeeper, gate: ClaimGate, run: String, observe: @escaping @Sendable (Observation) -> Void
  ) {
    self.pool = pool
    self.time = time
    self.gate = gate
    self.run = run
    self.observe = observe
  }

  static func setting(_ span: Duration) -> String {
    "'\(span.milliseconds)ms'"
  }

  /// Counts an attempt of each item, durably, before the decisions are made: all together, so that a large batch costs
  /// one more commit, not one for each item.
  func countAttempts(job: String, keys: [String]) async throws {
    let text = FailureText(text: "the daemon stopped while it was working on this item")
    try await pool.withConnection { connection in
      _ = try await connection.execute(
        FailureStatements.record(job: job, keys: keys, error: text, counted: false, policy: retries))
    }
  }

  /// Undoes the count if the attempt proves nothing about these items; the count stays while the database is
  /// unreachable.
  func uncountAttempts(job: String, keys: [String]) async {
    _ = try? await pool.withConnection { connection in
      try await connection.execute(FailureStatements.uncount(job: job, keys: keys, policy: retries))
    }
  }
}

/// The key of a job's item, in the database and, as text, in `settled.failure`: the value of a column, or a `KeyPair`.
package protocol JobKey: Hashable, Sendable, LosslessStringConvertible {
  /// SQL: the types of the key's columns.
  static var sqlTypes: [String] { get }

  /// An array of values for each column of the key.
  static func arrays(of keys: [Self]) -> [Statement]

  /// The keys of rows that consist of the key's columns.
  static func decode(_ rows: Rows) throws(PostgresError) -> [Self]
}

/// A key that is the value of one column.
package protocol SingleKey: JobKey, PostgresEncodable, PostgresArrayElement, PostgresDecodable {
  static var sqlType: String { get }
}

extension SingleKey {
  package static var sqlTypes: [String] { [sqlType] }

  package static func arrays(of keys: [Self]) -> [Statement] { ["\(keys)::\(raw: sqlType)[]"] }

  package static func decode(_ rows: Rows) throws(PostgresError) -> [Self] { try rows.decode(Self.self) }
}

extension Int64: SingleKey {
  package static var sqlType: String { "bigint" }
}

extension String: SingleKey {
  package static var sqlType: String { "text" }
}

/// A key of two columns.
///
/// As text a space separates the two, so the first column must never contain one.
package struct KeyPair<First: SingleKey, Second: SingleKey>: JobKey {
  package let first: First
  package let second: Second

  package init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  package init?(_ text: String) {
    guard let space = text.firstIndex(of: " "), let first = First(String(text[..<space])),
      let second = Second(String(text[text.index(after: space)...]))
    else { return nil }
    self.init(first, second)
  }

  package var description: String { "\(first) \(second)" }

  package static var sqlTypes: [String] { [First.sqlType, Second.sqlType] }

  package static func arrays(of keys: [Self]) -> [Statement] {
    ["\(keys.map(\.first))::\(raw: First.sqlType)[]", "\(keys.map(\.second))::\(raw: Second.sqlType)[]"]
  }

  package static func decode(_ rows: Rows) throws(PostgresError) -> [Self] {
    try rows.decode(First.self, Second.self).map { Self($0, $1) }
  }
}

/// The SQL expressions of a key's columns, in their order.
package struct KeyColumns: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  let names: [String]

  package init(stringLiteral name: String) { names = [name] }

  package init(arrayLiteral names: String...) { self.names = names }

  init(_ names: [String]) { self.names = names }

  /// The columns of a table with the alias `alias`.
  func of(_ alias: String) -> KeyColumns { KeyColumns(names.map { "\(alias).\($0)" }) }

  /// As in a list of expressions.
  var list: String { names.joined(separator: ", ") }

  /// As in a select list that names its columns `key1`, `key2`.
  var named: String { names.enumerated().map { "\($1) AS key\($0 + 1)" }.joined(separator: ", ") }

  /// The names that `named` assigns.
  var aliases: KeyColumns { KeyColumns(names.indices.map { "key\($0 + 1)" }) }

  /// The names of the columns of such a key in a schedule.
  static func aliases<Key: JobKey>(of key: Key.Type) -> KeyColumns { KeyColumns(key.sqlTypes).aliases }

  /// The text that identifies the key in failures and leases.
  var text: String {
    let text = names.map { "(\($0))::text" }.joined(separator: " || ' ' || ")
    return names.count == 1 ? text : "(\(text))"
  }

  /// SQL: whether the columns contain one of these keys; a single key is found by its index, regardless of the
  /// statistics.
  func isAmong<Key: JobKey>(_ keys: [Key]) -> Statement {
    let arrays = Key.arrays(of: keys)
    if names.count == 1 { return "\(raw: names[0]) = ANY(\(fragment: arrays[0]))" }
    if keys.count == 1 {
      let equal = zip(names, arrays).map { "\(raw: $0) = (\(fragment: $1))[1]" as Statement }
      return equal.dropFirst().reduce(equal[0]) { "\(fragment: $0) AND \(fragment: $1)" }
    }
    let lists = arrays.dropFirst().reduce(arrays[0]) { "\(fragment: $0), \(fragment: $1)" }
    return "(\(raw: list)) IN (SELECT * FROM unnest(\(fragment: lists)))"
  }

  /// SQL: whether a failure's text `key` names the row. The columns are compared as their own types, so that an index
  /// is used.
  func areNamed<Key: JobKey>(by key: String, _: Key.Type) -> String {
    if names.count == 1 { return "\(names[0]) = \(key)::\(Key.sqlTypes[0])" }
    return """
      \(names[0]) = split_part(\(key), ' ', 1)::\(Key.sqlTypes[0])
      AND \(names[1]) = substr(\(key), strpos(\(key), ' ') + 1)::\(Key.sqlTypes[1])
      """
  }
}
