import Engine
import Operations
import Postgres

/// Reads what stands in the queue strava.read_request, each with its athlete's token, and hands it on.
///
/// One order holds for all reads: results that are due, then claims of entrants, of others, and hints. A share of the
/// budget for each class but the first keeps the others from it. A request ends with its time, whether or not it was
/// answered: a race waits for nobody. Source: Strava.docc/Reads.md.
struct ReadJob: LeasedJob {
  struct Input: Sendable {
    let request: Int64
    let athlete: Int64
    /// 0 for a listing.
    let activity: Int64
    let readClass: Int64
    /// Business time of the claim.
    let at: Timestamp
    let step: Step
  }

  enum Step: Sendable {
    case list(Listing, ReadAccess)
    case fetch(ReadAccess)
    case stream(ReadAccess)
    /// The time of the request is over: nothing is called.
    case end
  }

  struct Listing: Sendable {
    let span: ActivitySpan
    /// The span as it was asked for.
    let since: Timestamp
    let before: Timestamp
    let page: Int64
    /// When the first page was claimed.
    let began: Timestamp
  }

  enum Reply: Sendable {
    case page(ProviderRead<ActivityPage>)
    case activity(ProviderRead<FetchedActivity>)
    case streams(ProviderRead<String>)
    case nothing
  }

  let name = "activity-reads"
  let retries = ReadFailures.retries

  let provider: any ActivityProvider
  let failures: ReadFailures
  let observe: @Sendable (Observation) -> Void

  let source = DueSource(
    "strava.read_request", key: "id",
    // What has ended comes first, because it needs no call and may hold races.
    order: "t.until_at > (SELECT settled.clock()), t.class, t.turn", window: 100,
    [
      .init(
        at: "t.asked_at", where: "t.next_call_at IS NULL AND \(ReadRows.isReadable)", order: "t.class, t.turn, t.id",
        past: true),
      // These join the line with the next claim.
      .init(at: "t.next_call_at", where: "t.next_call_at IS NOT NULL AND \(ReadRows.isReadable)"),
      // To be ended.
      .init(at: "t.until_at", where: "true"),
      .init(at: "t.asked_at", where: "t.follows_switch AND NOT (SELECT strava.imports())"),
    ])

  func prepare(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Input] {
    let rows = try await transaction.pipeline([ReadRows.begin(keys), ReadRows.requests(keys)])
    return try rows[1].decodeAll { row in try Input(row, at: now) }.compactMap(\.self)
  }

  func key(of input: Input) -> Int64 { input.request }

  func budget(of input: Input) -> CallBudget? {
    if case .end = input.step { nil } else { ProviderLimits.reads(of: input.readClass) }
  }

  func call(_ input: Input, under lease: Int64) async throws -> Reply {
    switch input.step {
    case .list(let listing, let access):
      .page(try await provider.activities(listing.span, page: listing.page, token: access.token))
    case .fetch(let access): .activity(try await provider.activity(input.activity, token: access.token))
    case .stream(let access): .streams(try await provider.streams(of: input.activity, token: access.token))
    case .end: .nothing
    }
  }

  func apply(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws {
    switch (reply, input.step) {
    case (.page(let read), .list(let listing, let access)):
      try await answered(read, access, input, transaction) { page in
        // The provider knows nothing of such an athlete: the same as an empty list.
        try await list(page ?? .empty, listing, input, transaction)
      }
    case (.activity(let read), .fetch(let access)):
      try await answered(read, access, input, transaction) { activity in
        try await write(ReadRows.fetched(input.request, activity, at: input.at), input, transaction)
      }
    case (.streams(let read), .stream(let access)):
      try await answered(read, access, input, transaction) { answer in
        try await write(ReadRows.streamed(input.request, answer, at: input.at), input, transaction)
      }
    default: try await write(ReadRows.end(input.request), input, transaction)
    }
  }

  /// Another node may have read the same since: the findings are passed on nevertheless, and change nothing else.
  func applyLate(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws {
    switch (reply, input.step) {
    case (.page(let read), .list(let listing, _)):
      if case .found(let page) = read.outcome { try await list(page, listing, input, transaction) }
    case (.activity(let read), _):
      if case .found(let activity) = read.outcome {
        try await write(ReadRows.fetched(input.request, activity, at: input.at), input, transaction)
      }
    case (.streams(let read), _):
      if case .found(let answer) = read.outcome {
        try await write(ReadRows.streamed(input.request, answer, at: input.at), input, transaction)
      }
    default: break
    }
  }

  private func answered<Value>(
    _ read: ProviderRead<Value>, _ access: ReadAccess, _ input: Input, _ transaction: Transaction,
    write: (Value?) async throws -> Void
  ) async throws {
    failures.noteAnswer()
    switch read.outcome {
    case .found(let value): try await write(value)
    case .missing: try await write(nil)
    case .refusedToken: try await transaction.execute(ReadRows.refuse(access))
    }
    ReadFailures.note(read.usage, ofReads: read.readUsage, ofCallAt: input.at, in: transaction)
  }

  private func list(
    _ page: ActivityPage, _ listing: Listing, _ input: Input, _ transaction: Transaction
  ) async throws {
    if page.unreadable > 0 {
      warn(
        "\(input.athlete)",
        "skipped " + Int64(page.unreadable).counted("unreadable activity", "unreadable activities")
          + " in the provider's list")
    }
    try await write(ReadRows.listed(input.request, listing, page), input, transaction)
  }

  private func write(_ statement: Statement, _ input: Input, _ transaction: Transaction) async throws {
    let refusal = try await transaction.query(statement).one(String?.self)
    guard let rule = refusal else { return }
    if rule == "unreadable" { throw ProviderFailure(.unreadable) }
    if input.activity == 0 {
      warn("\(input.athlete)", "a page from the provider was refused (rule \(rule)) and discarded")
    } else {
      warn(
        "\(input.athlete) \(input.activity)", "a fetched activity was refused (rule \(rule)) and discarded")
    }
  }

  private func warn(_ key: String, _ text: String) { observe(.warning(job: name, key: key, text: text)) }

  func concernsPeer(_ error: any Error) -> Bool { failures.concernsPeer(error) }

  func noteFailure(
    _ error: any Error, of input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {
    try await failures.note(error, of: input, in: transaction)
  }
}
