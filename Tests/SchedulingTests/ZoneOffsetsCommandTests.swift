import ControlAPI
import Cron
import Operations
import Postgres
import Scheduling
import TestSupport
import Testing

@Suite("The offsets of zones for operators") struct ZoneOffsetsCommandTests {
  private static func values(_ zone: String, _ from: String, _ to: String) -> [String: ParameterValue] {
    ["zone": .text(zone), "from": .text(from), "to": .text(to)]
  }

  private func offsets(_ fixture: ScheduleFixture, _ values: [String: ParameterValue]) async throws -> [String] {
    let answer = try #require(try await fixture.ask("zone.offsets", values) as? [String: Any])
    #expect(
      answer["zone"] as? String == (values["zone"].flatMap { if case .text(let zone) = $0 { zone } else { nil } }))
    return try #require(answer["offsets"] as? [[String: Any]]).map { offset in
      "\(offset["from"] ?? "-") \(offset["offsetSeconds"] ?? "-") \(offset["abbreviation"] ?? "-")"
    }
  }

  @Test func `the offsets of a zone change where its clocks change, with the names of both times`() async throws {
    let fixture = try await ScheduleFixture()
    #expect(
      try await offsets(fixture, Self.values("Europe/London", "2031-03-01T00:00:00.500Z", "2032-01-01T00:00:00Z")) == [
        "2031-03-01T00:00:00.000Z 0 GMT", "2031-03-30T01:00:00.000Z 3600 BST", "2031-10-26T01:00:00.000Z 0 GMT",
      ])
    let kolkata = Self.values("Asia/Kolkata", "2031-03-01T00:00:00+05:30", "2032-01-01T00:00:00Z")
    #expect(try await offsets(fixture, kolkata) == ["2031-02-28T18:30:00.000Z 19800 IST"])
    // A change at the very end is not in the range.
    let untilChange = Self.values("Europe/London", "2031-03-30T00:00:00Z", "2031-03-30T01:00:00Z")
    #expect(try await offsets(fixture, untilChange) == ["2031-03-30T00:00:00.000Z 0 GMT"])
  }

  @Test func `an offset that only the database knows is shown in numbers`() async throws {
    let own = BuiltInSchedule("daily", cron: "30 2 * * *", zone: "Europe/London", missed: .skip) { _, _, _ in 0 }
    let fixture = try await ScheduleFixture(at: "2031-03-29T12:00:00Z", [own])
    try await fixture.owner.execute(
      """
      UPDATE settled.zone_future SET offsets = jsonb_build_array(jsonb_build_array((offsets #>> '{0,0}')::bigint, -5400))
      WHERE zone = 'Europe/London'
      """)
    let range = Self.values("Europe/London", "2031-06-01T00:00:00Z", "2031-06-02T00:00:00Z")
    #expect(try await offsets(fixture, range) == ["2031-06-01T00:00:00.000Z -5400 -0130"])
    // As after an upgrade of a server that lacks tzdata-legacy.
    try await fixture.owner.script(
      """
      INSERT INTO settled.time_zone VALUES ('Mars/Base');
      UPDATE settled.schedule SET zone = 'Mars/Base' WHERE zone = 'Europe/London';
      UPDATE settled.schedule_period SET zone = 'Mars/Base' WHERE zone = 'Europe/London';
      UPDATE settled.zone_future SET zone = 'Mars/Base' WHERE zone = 'Europe/London';
      """)
    let mars = Self.values("Mars/Base", "2031-06-01T00:00:00Z", "2031-06-02T00:00:00Z")
    #expect(try await offsets(fixture, mars) == ["2031-06-01T00:00:00.000Z -5400 -0130"])
  }

  @Test func `zone offsets refuse an unknown zone, and a span that is empty, turned round or too long`() async throws {
    let fixture = try await ScheduleFixture()
    let (from, day) = ("2031-03-01T00:00:00Z", "2031-03-02T00:00:00Z")
    for zone in ["Mars/Base", "europe/london", "UTC'; --", "+01"] {
      #expect(await fixture.refusal("zone.offsets", Self.values(zone, from, day))?.rule == "time-zone", "\(zone)")
    }
    for to in [from, "2031-02-28T00:00:00Z", "2032-04-04T00:00:00.001Z"] {
      #expect(await fixture.refusal("zone.offsets", Self.values("UTC", from, to))?.rule == "to", "\(to)")
    }
    #expect(await fixture.refusal("zone.offsets", Self.values("UTC", "today", day))?.rule == "from")
    #expect(try await offsets(fixture, Self.values("UTC", from, "2032-04-04T00:00:00Z")).count == 1)
  }
}
