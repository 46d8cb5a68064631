import Engine
import Postgres

/// Packs what is due.
struct PackingJob: TwoStepJob {
  let name = "parcel-packing"
  let largestBatch = 64
  let source = DueSource("sample.parcel", key: "id", [.init(at: "t.due_at", where: "NOT t.packed")])
  let progress: String? = "SELECT count(*) FILTER (WHERE packed), count(*) FROM sample.parcel"

  func gather(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Int64] { keys }

  func key(of parcel: Int64) -> Int64 { parcel }

  func apply(_ parcels: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
    _ = try await transaction.pipeline([
      "UPDATE sample.parcel SET packed = true WHERE id = ANY(\(parcels))",
      """
      INSERT INTO sample.packing (day, parcel)
      SELECT (settled.clock() AT TIME ZONE 'UTC')::date, p FROM unnest(\(parcels)) AS p
      """,
      EventStatements.emit(
        topic: "parcel.packed", keys: parcels.map { String($0) }, payloads: parcels.map { _ in "{}" }, at: now),
    ])
  }
}
