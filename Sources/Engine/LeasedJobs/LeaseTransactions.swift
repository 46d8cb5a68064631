import Postgres

/// The transactions of a leased job: the claim before its calls, the write after each call, and the revocation of
/// leases.
struct LeaseTransactions<J: LeasedJob>: Sendable {
  struct Leased: Sendable {
    let input: J.Input
    let item: J.Key
    var key: String { item.description }
    let generation: Int64
    /// The node's boot clock before the lease was taken.
    let takenAt: Duration
  }

  struct Failed: Sendable {
    let key: String
    let attempts: Int64
    let isQuarantined: Bool
    let error: FailureText
  }

  struct Claim {
    var items: [Leased] = []
    /// Those that turned out not to be ready.
    var leftOut: [J.Key] = []
    /// All leases that existed before: generations and owners; nil if they were not read.
    var standing: [(Int64, String)]?
    var wait: Duration?
  }

  let job: J
  let context: JobContext

  /// The delay before a budget is queried again: the peer may have raised its limit, or an input that may use the
  /// reserve may have arrived.
  private static var budgetPauseMax: Duration { .seconds(5) }

  /// Leases due items; `tried` contains the items being prepared, in case one of them fails all.
  func claim(
    _ request: LockRequest<J.Key>, _ tried: Claimed<J.Key>, takenAt: Duration, _ transaction: Transaction
  ) async throws -> Claim {
    // 1. The rows of due items are locked as long as they are leased.
    let replies = try await transaction.pipeline([
      "SET LOCAL lock_timeout = \(raw: JobContext.setting(context.lockWait))",
      job.source.lock(request, job: job.name),
      ClaimGate.entry(job.name, ignoresClockStop: job.ignoresClockStop), LeaseStatements.standing(job: job.name),
    ])
    guard let now = try context.gate.admit(replies[2], ignoresClockStop: job.ignoresClockStop) else {
      return Claim()
    }
    var claim = Claim(standing: try replies[3].decode(Int64.self, String.self))
    let keys = try J.Key.decode(replies[1])
    guard !keys.isEmpty else { return claim }
    // 2. Another node may have leased some of them, or recorded failures, since the statement began.
    let taken = try await transaction.query(
      LeaseStatements.take(job: job.name, keys: keys.map(\.description), owner: context.run)
    ).decode(String.self, Int64.self)
    var generations = Dictionary(uniqueKeysWithValues: taken)
    // 3. Only items that are still due and within the budget are called.
    let leased = keys.filter { generations[$0.description] != nil }
    tried.note(leased, since: takenAt)
    let inputs = try await job.prepare(leased, at: now, in: transaction)
    tried.note([], since: takenAt)
    let ready = Set(inputs.map { job.key(of: $0) })
    claim.leftOut = leased.filter { !ready.contains($0) }
    for input in try await affordable(inputs, &claim, transaction) {
      let key = job.key(of: input)
      guard let generation = generations.removeValue(forKey: key.description) else { continue }
      claim.items.append(Leased(input: input, item: key, generation: generation, takenAt: takenAt))
    }
    let rest = Array(generations.values)
    if !rest.isEmpty { transaction.beforeCommit(LeaseStatements.giveBack(job: job.name, generations: rest)) }
    return claim
  }

  /// The inputs that their budgets allow: those without one, then those that may use the reserve.
  private func affordable(
    _ inputs: [J.Input], _ claim: inout Claim, _ transaction: Transaction
  ) async throws -> [J.Input] {
    var allowed: [J.Input] = []
    var groups: [(budget: CallBudget, usesReserve: Bool, inputs: [J.Input])] = []
    for input in inputs {
      guard let budget = job.budget(of: input) else {
        allowed.append(input)
        continue
      }
      let usesReserve = job.usesReserve(input)
      if let index = groups.firstIndex(where: { $0.usesReserve == usesReserve && $0.budget.isSame(as: budget) }) {
        groups[index].inputs.append(input)
      } else {
        groups.append((budget, usesReserve, [input]))
      }
    }
    for group in groups.filter(\.usesReserve) + groups.filter({ !$0.usesReserve }) {
      let wanted = group.inputs.count
      let (granted, wait) = try await group.budget.take(wanted, usesReserve: group.usesReserve, in: transaction)
      if granted < wanted { claim.wait = min(wait, Self.budgetPauseMax) }
      allowed += group.inputs.prefix(granted)
    }
    return allowed
  }

  /// Revokes lost leases, and returns others.
  ///
  /// An item whose node ended or hung has failed once, so that one that ends every node is quarantined like any other.
  func takeAway(_ lost: [Int64], giveBack: [Int64], _ transaction: Transaction) async throws -> [Failed] {
    if !giveBack.isEmpty {
      transaction.beforeCommit(LeaseStatements.giveBack(job: job.name, generations: giveBack))
    }
    let keys = try await transaction.query(LeaseStatements.takeAway(job: job.name, generations: lost))
      .decode(String.self)
    guard !keys.isEmpty else { return [] }
    let now = try await transaction.query("SELECT settled.clock()").one(Timestamp.self)
    try await job.noteAbandoned(keys.compactMap(J.Key.init), at: now, in: transaction)
    return try await record(
      FailureText(text: "the node that was working on this item stopped or hung"), of: keys, transaction)
  }

  /// Counts a failure of each item.
  func record(_ text: FailureText, of keys: [String], _ transaction: Transaction) async throws -> [Failed] {
    let keys = keys.sorted()
    let policy = job.retries.drawn(context.time.draw())
    let rows = try await transaction.query(
      FailureStatements.record(job: job.name, keys: keys, error: text, counted: false, policy: policy)
    ).decode(Int64.self, Bool.self)
    return zip(keys, rows).map { Failed(key: $0, attempts: $1.0, isQuarantined: $1.1, error: text) }
  }

  /// Writes the result of a call: under its lease, or late if the lease was lost.
  func write(
    _ result: Result<J.Reply, any Error>?, of item: Leased, givesBack: Bool, _ transaction: Transaction
  ) async throws -> Failed? {
    if givesBack {
      transaction.beforeCommit(LeaseStatements.giveBack(job: job.name, generations: [item.generation]))
    }
    let replies = try await transaction.pipeline([
      // Locked rows are retried: meanwhile the connection serves other calls.
      "SET LOCAL lock_timeout = \(raw: JobContext.setting(context.lockWait))",
      LeaseStatements.lock(job: job.name, generation: item.generation, key: item.key), "SELECT settled.clock()",
    ])
    let now = try replies[2].one(Timestamp.self)
    let isLost = replies[1].isEmpty
    switch result {
    case .success(let reply) where isLost: try await job.applyLate(reply, to: item.input, at: now, in: transaction)
    case .success(let reply):
      try await job.apply(reply, to: item.input, at: now, in: transaction)
      transaction.beforeCommit(FailureStatements.clear(job: job.name, keys: [item.key]))
    case .failure where isLost, nil: break
    case .failure(let error):
      try await job.noteFailure(error, of: item.input, at: now, in: transaction)
      guard !(error is CancellationError), !job.concernsPeer(error) else { return nil }
      return try await record(FailureText(error), of: [item.key], transaction).first
    }
    return nil
  }
}
