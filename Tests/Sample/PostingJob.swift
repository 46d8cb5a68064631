import Engine
import Postgres
import TestSupport

/// Posts what is packed, at the server on the port that a setting names.
struct PostingJob: LeasedJob {
  struct Parcel: Sendable {
    let id: Int64
    let port: Int64
  }

  let name = "parcel-posting"
  let limits = LeaseLimits(callsMax: 2, call: .seconds(3), lease: .seconds(7))
  let source = DueSource("sample.parcel", key: "id", [.init(at: "t.due_at", where: "t.packed AND t.receipt IS NULL")])

  func prepare(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Parcel] {
    try await transaction.query(
      """
      SELECT id, settled.setting('sample.port')::bigint FROM sample.parcel
      WHERE id = ANY(\(keys)) AND packed AND receipt IS NULL ORDER BY id
      """
    ).decode(Int64.self, Int64.self).map { Parcel(id: $0, port: $1) }
  }

  func key(of parcel: Parcel) -> Int64 { parcel.id }

  func call(_ parcel: Parcel, under lease: Int64) async throws -> Int64 {
    try await ForeignServer.ask("\(parcel.id)", port: Int(parcel.port))
  }

  func apply(_ receipt: Int64, to parcel: Parcel, at now: Timestamp, in transaction: Transaction) async throws {
    try await transaction.execute(
      "UPDATE sample.parcel SET receipt = \(receipt) WHERE id = \(parcel.id) AND receipt IS NULL")
  }

  func applyLate(_ receipt: Int64, to parcel: Parcel, at now: Timestamp, in transaction: Transaction) async throws {
    try await apply(receipt, to: parcel, at: now, in: transaction)
  }
}
