import Foundation
import Testing

@testable import CommandLineTool

@Suite("Findings, time and days for people") struct TimelineTableTests {
  private func decode<Answer: Decodable>(_ json: String) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: Data(json.utf8))
  }

  @Test func `a problem of status has its remedy below it, with the money that waits and its begin`() throws {
    let status: StatusAnswer = try decode(
      """
      {"state":"degraded","version":"0.1.0","schemaVersion":4,"simulatedClock":false,"node":"web-1",\
      "now":"2031-03-30T23:00:00.123Z","clockSkewMs":2,"jobs":[],"problems":["race-settlement: paused","other\\u001b[2J"],\
      "findings":[{"code":"job-paused","text":"race-settlement: paused","since":"2031-03-30T20:00:00.000Z",\
      "remedy":"settlectl job resume race-settlement","target":"race-settlement","heldPence":123456},\
      {"code":"other","text":"another","since":null,"remedy":"settlectl doctor","target":null,"heldPence":null}]}
      """)
    let text = status.text(Style())
    #expect(
      text.hasPrefix(
        """
        settled 0.1.0 on web-1: DEGRADED, 2 problems
          ! race-settlement: paused
            -> settlectl job resume race-settlement (£1,234.56 held), since
               2031-03-30 20:00:00Z
          ! other [2J

        """))
    #expect(!text.contains("doctor"))
  }

  @Test func `a timeline, latenesses, days and offsets fit 80 columns`() throws {
    let days: ScheduleDaysAnswer = try decode(
      #"{"days":[{"day":"2031-03-30","ticks":1,"first":"2031-03-30T01:00:00.000Z","last":null,"gaps":1,"folds":0}]}"#)
    #expect(
      days.text(Style()) == """
        DAY         TICKS  FIRST                 LAST  GAPS  FOLDS
        2031-03-30      1  2031-03-30 01:00:00Z  -        1      -
        """)
    let counts: OccurrenceDaysAnswer = try decode(
      #"{"days":[{"day":"2031-03-30","done":3,"failed":0,"missed":1,"skipped":0,"running":0,"planned":2}]}"#)
    #expect(
      counts.text(Style()) == """
        DAY         DONE  FAILED  MISSED  SKIPPED  RUNNING  PLANNED
        2031-03-30     3       -       1        -        -        2

        missed: planned more than 60 s late, and then coalesced or skipped
        """)
    let offsets: ZoneOffsetsAnswer = try decode(
      """
      {"zone":"x","offsets":[{"from":"2031-03-30T01:00:00.000Z","offsetSeconds":19800,"abbreviation":"IST"},
       {"from":"2031-10-30T01:00:00.000Z","offsetSeconds":-5400,"abbreviation":"-0130"}]}
      """)
    #expect(
      offsets.text(Style()) == """
        FROM                  OFFSET  ABBREVIATION
        2031-03-30 01:00:00Z  +05:30  IST
        2031-10-30 01:00:00Z  -01:30  -0130
        """)
  }
}
