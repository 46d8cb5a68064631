import Engine
import Operations
import Postgres

/// Lists what athletes have uploaded, between the end of a race and its settlement.
///
/// One page a call. What is wanted of it is kept in strava.found_activity until `StreamsJob` has its streams. A request
/// ends with its time, whether or not it was answered: a race waits for nobody.
struct ListingJob: LeasedJob {
  struct Input: Sendable {
    let request: Int64
    let span: ActivitySpan
    let page: Int64
    let access: ReadAccess
  }

  let name = "activity-import"
  let budget: CallBudget? = ProviderLimits.reads
  let retries = ReadFailures.retries

  let provider: any ActivityProvider
  let failures: ReadFailures
  let observe: @Sendable (Observation) -> Void

  /// The earliest end comes first; who was not listed yet comes before a second look.
  let source = DueSource(
    "strava.import_request", key: "id", order: "t.until_at, t.next_call_at",
    [
      .init(at: "t.next_call_at", where: ImportRows.isReadable),
      // To be removed.
      .init(at: "t.until_at", where: "true"),
    ])

  func prepare(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Input] {
    let rows = try await transaction.pipeline([ImportRows.endRequests(at: now), ImportRows.requests(keys)])
    return try rows[1].decodeAll { row in try Input(row, at: now) }.compactMap(\.self)
  }

  func key(of input: Input) -> Int64 { input.request }

  func call(_ input: Input, under lease: Int64) async throws -> ProviderRead<ActivityPage> {
    try await provider.activities(input.span, page: input.page, token: input.access.token)
  }

  func apply(
    _ reply: ProviderRead<ActivityPage>, to input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {
    failures.noteAnswer()
    switch reply.outcome {
    case .found(let page):
      if page.unreadable > 0 {
        observe(
          .warning(
            job: name, key: "\(input.access.athlete)",
            text: Int64(page.unreadable).counted("activity", "activities")
              + " in the provider's list cannot be read and are left out"))
      }
      try await transaction.execute(ImportRows.listed(input.request, page))
    case .missing: try await transaction.execute(ImportRows.unlisted(input.request))
    case .refusedToken: try await transaction.execute(ImportRows.refuse(input.access))
    }
    ReadFailures.note(reply.usage, ofReads: reply.readUsage, ofCallAt: input.access.at, in: transaction)
  }

  /// Another node has listed them since.
  func applyLate(
    _ reply: ProviderRead<ActivityPage>, to input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {}

  func concernsPeer(_ error: any Error) -> Bool { failures.concernsPeer(error) }

  func noteFailure(
    _ error: any Error, of input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {
    try await failures.note(error, ofCallAt: input.access.at, in: transaction)
  }
}
