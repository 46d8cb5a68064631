import Postgres
import TextCoding

/// How late the runs of a job began or ended, from the database's records of all nodes.
struct JobLateness: Sendable {
  let job: String
  private let count: Int64
  private let p50: Int64
  private let p99: Int64
  private let max: Int64
  private let buckets: [Int64]

  init(_ row: Row) throws(PostgresError) {
    job = try row["job"]
    count = try row["count"]
    p50 = try row["p50"]
    p99 = try row["p99"]
    max = try row["max"]
    buckets = try row["buckets"]
  }

  var json: JSONValue {
    let bounds = Histogram.bounds.map { JSONValue.integer(Int64($0 * 1000)) } + [.null]
    return [
      "job": .text(job), "count": .integer(count), "p50Ms": .integer(p50), "p99Ms": .integer(p99),
      "maxMs": .integer(max),
      "buckets": .array(zip(bounds, buckets).map { bound, count in ["upToMs": bound, "count": .integer(count)] }),
    ]
  }
}
