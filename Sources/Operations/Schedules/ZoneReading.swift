import Engine
import Scheduling
import TextCoding
import Postgres

/// The JSON of a zone's offsets, as ControlAPI describes it.
enum ZoneReading {
  private static let daysMax: Int64 = 400

  static func offsets(_ call: CommandCall, _ transaction: Transaction) async throws -> JSON {
    let zone = call.text("zone") ?? ""
    try await ScheduleForm.check(zone: zone, transaction)
    let range = try await InstantRange.read(call, daysMax: daysMax, transaction)
    // PostgreSQL names an offset only of the session's own zone; the setting ends with the transaction.
    try await transaction.execute(
      "SELECT set_config('TimeZone', CASE WHEN settled.knows_zone(\(zone)) THEN \(zone) ELSE 'UTC' END, true)")
    let offsets = try await transaction.query(statement(zone, range)).decodeAll(as: json)
    return JSONValue.object([("zone", .text(zone)), ("offsets", .array(offsets))]).json
  }

  /// The session's own offset is compared with the stored one, which may come from newer tz data.
  static func statement(_ zone: String, _ range: InstantRange) -> Statement {
    let last = Timestamp(microseconds: range.to.microseconds - 1)
    return """
      SELECT z.start, z.seconds, to_char(to_timestamp(z.start), 'TZ') AS abbreviation,
        extract(timezone FROM to_timestamp(z.start))::bigint AS session_seconds
      FROM settled.zone_offsets(\(zone), \(range.from), \(last)) AS z
      """
  }

  static func json(_ row: Row) throws(PostgresError) -> JSONValue {
    let (start, seconds): (Int64, Int64) = (try row["start"], try row["seconds"])
    let (session, known): (Int64, String) = (try row["session_seconds"], try row["abbreviation"])
    return [
      "from": .instant(Timestamp(second: start)), "offsetSeconds": .integer(seconds),
      "abbreviation": .text(session == seconds ? known : abbreviation(seconds)),
    ]
  }

  /// An offset without a name, as in the tz data: `+01`, `-0330`.
  static func abbreviation(_ seconds: Int64) -> String {
    let (hours, minutes) = (abs(seconds) / 3600, abs(seconds) / 60 % 60)
    let two = { (number: Int64) in number < 10 ? "0\(number)" : "\(number)" }
    return (seconds < 0 ? "-" : "+") + two(hours) + (minutes == 0 ? "" : two(minutes))
  }
}
