import Engine
import Postgres

/// An errand job whose steps a test replaces.
struct ChangedErrandJob: LeasedJob {
  let job: ErrandJob
  var limits: LeaseLimits
  var source: DueSource
  var onPrepare: @Sendable ([Int64]) throws -> Void = { _ in }
  var onCall: (@Sendable (Int64) async throws -> Int64)?
  var onAbandoned: @Sendable () throws -> Void = {}

  init(_ job: ErrandJob) {
    self.job = job
    limits = job.limits
    source = job.source
  }

  var name: String { job.name }
  var retries: RetryPolicy { job.retries }

  func concernsPeer(_ error: any Error) -> Bool { job.concernsPeer(error) }

  func prepare(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] {
    try onPrepare(keys)
    return try await job.prepare(keys, at: now, in: transaction)
  }

  func key(of errand: Int64) -> Int64 { errand }

  func call(_ errand: Int64, under lease: Int64) async throws -> Int64 {
    if let onCall { return try await onCall(errand) }
    return try await job.call(errand, under: lease)
  }

  func apply(_ reply: Int64, to errand: Int64, at now: Timestamp, in transaction: Transaction) async throws {
    try await job.apply(reply, to: errand, at: now, in: transaction)
  }

  func applyLate(_ reply: Int64, to errand: Int64, at now: Timestamp, in transaction: Transaction) async throws {
    try await job.applyLate(reply, to: errand, at: now, in: transaction)
  }

  func noteFailure(
    _ error: any Error, of errand: Int64, at now: Timestamp, in transaction: Transaction
  ) async throws {
    try await job.noteFailure(error, of: errand, at: now, in: transaction)
  }

  func noteAbandoned(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
    try onAbandoned()
    try await job.noteAbandoned(keys, at: now, in: transaction)
  }
}
