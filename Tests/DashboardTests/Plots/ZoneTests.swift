import Dashboard
import Testing
import TextCoding

@Suite("The repeated and the missing hour of four zones") struct ZoneTests {
  struct Case: Sendable {
    let zone: String
    let change: String
    let before: (seconds: Int64, name: String)
    let after: (seconds: Int64, name: String)
    let text: String
  }

  static let cases = [
    Case(
      zone: "Europe/London", change: "2026-10-25T01:00:00.000Z", before: (3_600, "BST"), after: (0, "GMT"),
      text: "clocks go back: the hour from 01:00 repeats"),
    Case(
      zone: "America/New_York", change: "2026-11-01T06:00:00.000Z", before: (-14_400, "EDT"), after: (-18_000, "EST"),
      text: "clocks go back: the hour from 01:00 repeats"),
    Case(
      zone: "Australia/Lord_Howe", change: "2026-10-03T15:30:00.000Z", before: (37_800, "+1030"),
      after: (39_600, "+11"), text: "clocks go forward to 02:30: 30 min are skipped"),
    Case(
      zone: "Pacific/Apia", change: "2011-12-30T10:00:00.000Z", before: (-36_000, "-10"), after: (50_400, "+14"),
      text: "clocks go forward to 00:00: 24 h 00 are skipped"),
    Case(
      zone: "Europe/London", change: "2027-03-28T01:00:00.000Z", before: (0, "GMT"), after: (3_600, "BST"),
      text: "clocks go forward to 02:00: the hour is skipped"),
  ]

  @Test(arguments: cases) func `the timeline names the change, and each instant has its own clock time`(_ it: Case)
    throws
  {
    let change = try #require(Instant(it.change))
    let zone = try #require(
      PageZone([
        "zone": .text(it.zone),
        "offsets": [
          [
            "from": .text(change.advanced(bySeconds: -86_400 * 100).text), "offsetSeconds": .integer(it.before.seconds),
            "abbreviation": .text(it.before.name),
          ],
          [
            "from": .text(it.change), "offsetSeconds": .integer(it.after.seconds), "abbreviation": .text(it.after.name),
          ],
        ],
      ]))
    let view = View("timeline", nil, ["from": change.advanced(bySeconds: -86_400).text])
    var state = Answers.state(view, zone: zone)
    state.now = change.advanced(bySeconds: -1_800)
    let at = [-1_800, 1_800].map { change.advanced(bySeconds: $0) }
    let marks = at.map { at -> JSONValue in
      ["at": .text(at.text), "lane": "schedules", "job": "nightly", "count": 1, "outcome": "pending"]
    }
    let timeline: JSONValue = ["from": .text(at[0].text), "to": .text(at[1].text), "marks": .array(marks)]
    let html = Answers(byCommand: ["timeline": timeline]).html(view, state)
    #expect(html.contains(it.text))
    #expect(html.contains(" \(it.before.name), nightly") && html.contains(" \(it.after.name), nightly"))
    for instant in at { #expect(html.contains(#"datetime="\#(instant.text)""#)) }
  }
}
