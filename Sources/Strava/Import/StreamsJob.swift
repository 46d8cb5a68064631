import Engine
import Postgres

/// Fetches the streams of activities that were found, and hands each activity on with them.
///
/// One whose streams did not come in time, or do not exist, is handed on without: its summary is enough for most races.
/// It never changes an activity that is there already, and drops with a warning what is refused.
struct StreamsJob: LeasedJob {
  typealias Key = KeyPair<Int64, Int64>

  struct Input: Sendable {
    let activity: Int64
    let access: ReadAccess
  }

  let name = "activity-streams"
  let budget: CallBudget? = ProviderLimits.reads
  let retries = ReadFailures.retries

  let provider: any ActivityProvider
  let failures: ReadFailures
  let observe: @Sendable (Observation) -> Void

  let source = DueSource(
    "strava.found_activity", key: ["athlete_id", "activity_id"], order: "t.until_at, t.found_at",
    [
      .init(at: "t.found_at", where: ImportRows.isReadable),
      // To be kept without streams.
      .init(at: "t.until_at", where: "true"),
    ])

  func prepare(_ keys: [Key], at now: Timestamp, in transaction: Transaction) async throws -> [Input] {
    let rows = try await transaction.pipeline([
      ImportRows.endFound(at: now), ImportRows.found(keys),
    ])
    for (key, rule) in try ImportRows.ended(rows[0]) { warn(key, rule) }
    return try rows[1].decodeAll { row in try Input(row, at: now) }.compactMap(\.self)
  }

  func key(of input: Input) -> Key { Key(input.access.athlete, input.activity) }

  func call(_ input: Input, under lease: Int64) async throws -> ProviderRead<String> {
    try await provider.streams(of: input.activity, token: input.access.token)
  }

  func apply(
    _ reply: ProviderRead<String>, to input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {
    failures.noteAnswer()
    switch reply.outcome {
    case .found(let answer): try await keep(input, answer, transaction)
    case .missing: try await keep(input, nil, transaction)
    case .refusedToken: try await transaction.execute(ImportRows.refuse(input.access))
    }
    ReadFailures.note(reply.usage, ofReads: reply.readUsage, ofCallAt: input.access.at, in: transaction)
  }

  private func keep(_ input: Input, _ answer: String?, _ transaction: Transaction) async throws {
    let rule = try await transaction.query(ImportRows.keep(input, answer: answer)).one(String?.self)
    if rule == "unreadable" { throw ProviderFailure(.unreadable) }
    warn(key(of: input), rule)
  }

  private func warn(_ key: Key, _ rule: String?) {
    guard let rule else { return }
    observe(
      .warning(
        job: name, key: key.description, text: "the fetched activity is refused (rule \(rule)) and dropped"))
  }

  /// Another node may have kept it since: then this changes nothing.
  func applyLate(
    _ reply: ProviderRead<String>, to input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {
    if case .found(let answer) = reply.outcome { try await keep(input, answer, transaction) }
  }

  func concernsPeer(_ error: any Error) -> Bool { failures.concernsPeer(error) }

  func noteFailure(
    _ error: any Error, of input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {
    try await failures.note(error, ofCallAt: input.access.at, in: transaction)
  }
}
