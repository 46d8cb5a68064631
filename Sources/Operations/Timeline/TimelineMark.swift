import Engine
import Postgres
import TextCoding

/// A mark of the timeline, or the counted marks of a span of time.
struct TimelineMark: Sendable, Equatable {
  let lane: TimelineSource.Lane
  let at: Timestamp
  let until: Timestamp?
  let job: String
  let key: String?
  let count: Int64
  let pence: Int64?
  let outcome: String
  let latenessMs: Int64?
  let note: String?

  init(_ row: Row, _ lane: TimelineSource.Lane) throws(PostgresError) {
    self.lane = lane
    at = try row["at"]
    until = try row["until"]
    job = try row["job"]
    key = try row["key"]
    count = try row["count"]
    pence = try row["pence"]
    outcome = try row["outcome"]
    latenessMs = (try row["lateness"] as Int64?).map { max(0, $0) }
    note = try row["note"]
  }

  /// Future ticks.
  init(_ lane: TimelineSource.Lane, pending job: String, at: Timestamp, count: Int64, note: String? = nil) {
    self.lane = lane
    self.at = at
    until = nil
    self.job = job
    key = nil
    self.count = count
    pence = nil
    outcome = "pending"
    latenessMs = nil
    self.note = note
  }

  var json: JSONValue {
    [
      "at": .instant(at), "until": .instant(until), "lane": .text(lane.rawValue), "job": .text(job),
      "key": .optional(key), "count": .integer(count), "pence": pence.map { .integer($0) } ?? .null,
      "outcome": .text(outcome), "latenessMs": latenessMs.map { .integer($0) } ?? .null, "note": .optional(note),
    ]
  }
}
