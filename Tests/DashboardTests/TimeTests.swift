import Cron
@testable import Dashboard
import TextCoding
import Markup
import Testing

@Suite("Instants on the clocks of a zone") struct TimeTests {
  private let london: PageZone

  init() throws {
    london = try #require(
      PageZone([
        "zone": "Europe/London",
        "offsets": [
          ["from": "2031-03-30T01:00:00.000Z", "offsetSeconds": 3600, "abbreviation": "BST"],
          ["from": "2030-10-27T01:00:00.000Z", "offsetSeconds": 0, "abbreviation": "GMT"],
          ["from": "2031-10-26T01:00:00.000Z", "offsetSeconds": 0, "abbreviation": "GMT"],
        ],
      ]))
  }

  private func instant(_ text: String) throws -> Instant { try #require(Instant(text)) }

  @Test func `an instant is read and written as the daemon has it`() throws {
    for text in ["2031-03-30T23:00:00.123Z", "1969-12-31T23:59:59.999Z", "0001-01-01T00:00:00.000Z"] {
      #expect(try instant(text).text == text)
    }
    #expect(try instant("2031-03-30T23:00:00Z").text == "2031-03-30T23:00:00.000Z")
    for text in ["", "2031-03-30", "2031-13-30T23:00:00Z", "2031-03-30T24:00:00Z", "x031-03-30T23:00:00Z", "-"] {
      #expect(Instant(text) == nil, "\(text)")
    }
  }

  @Test func `every day of four centuries has its own number and comes back`() {
    var before = CivilDate(year: 1599, month: 12, day: 31)
    for number in (before.number + 1)...(before.number + 146_097) {
      let day = CivilDate(number: number)
      #expect(CivilDate(year: day.year, month: day.month, day: day.day).number == number && day != before)
      before = day
    }
    #expect(CivilDate(year: 2026, month: 10, day: 24).weekdayName == "Sat")
  }

  @Test func `the repeated hour has two abbreviations, the missing one does not occur`() throws {
    #expect(london.full(try instant("2031-10-26T00:30:00Z")) == "Sun 26 Oct 2031 01:30:00 BST")
    #expect(london.full(try instant("2031-10-26T01:30:00Z")) == "Sun 26 Oct 2031 01:30:00 GMT")
    #expect(london.full(try instant("2031-03-30T00:59:59Z")) == "Sun 30 Mar 2031 00:59:59 GMT")
    #expect(london.full(try instant("2031-03-30T01:00:00Z")) == "Sun 30 Mar 2031 02:00:00 BST")
  }

  @Test func `changes of the clocks within a span are found, and those at its ends are not`() throws {
    let changes = london.changes(from: try instant("2031-03-30T01:00:00Z"), to: try instant("2032-01-01T00:00:00Z"))
    #expect(changes.map(\.at.text) == ["2031-10-26T01:00:00.000Z"])
    #expect(changes.map(\.before.abbreviation) == ["BST"] && changes.map(\.after.abbreviation) == ["GMT"])
  }

  @Test func `an instant of another day or year has its date`() throws {
    let now = try instant("2031-06-02T10:00:00Z")
    #expect(london.short(try instant("2031-06-02T22:59:00Z"), now: now) == "23:59")
    #expect(london.short(try instant("2031-06-02T23:00:00Z"), now: now) == "Tue 3 Jun 00:00")
    #expect(london.short(try instant("2030-12-02T10:00:00Z"), now: now) == "Mon 2 Dec 2030 10:00")
  }

  @Test func `an instant outside the known offsets of a zone is shown in UTC, with that abbreviation`() throws {
    let view = View("athletes", "2208")
    var state = Answers.state(view, zone: london)
    state.now = try instant("2031-06-02T10:00:00Z")
    #expect(london.full(try instant("2030-07-01T10:00:00Z")) == "Mon 1 Jul 2030 10:00:00 UTC")
    let bounded = try #require(
      PageZone(
        ["zone": "Europe/London", "offsets": [["from": "2031-03-30T01:00:00Z", "offsetSeconds": 3600]]],
        until: try instant("2032-04-01T00:00:00Z")))
    #expect(bounded.full(try instant("2032-03-31T23:59:59Z")) == "Thu 1 Apr 2032 00:59:59 +01:00")
    #expect(bounded.full(try instant("2032-04-01T00:00:00Z")) == "Thu 1 Apr 2032 00:00:00 UTC")
    state.zone = bounded
    let html = Answers(byCommand: ["athlete.show": ["createdAt": "2029-01-02T03:04:05Z"]]).html(view, state)
    #expect(html.contains("Tue 2 Jan 2029 03:04 UTC"))
  }

  @Test func `a zone without offsets is named above every screen`() throws {
    let view = View("header")
    var state = Answers.state(view, zone: .utc(insteadOf: "Mars/Olympus"))
    let replies: [Ask: Reply] = [:]
    let html = Screen.header.parts.map { $0.body(state, replies).description }.joined()
    #expect(html.contains("no offsets for Mars/Olympus: times are in UTC"))
    state.zone = .utc
    #expect(!Screen.header.parts.map { $0.body(state, replies).description }.joined().contains("no offsets"))
  }

  /// Clocks go from 01:00 back to 00:00; then from 00:00 on to 01:00.
  @Test(arguments: [
    ("2031-11-02T05:00:00Z", -14_400, -18_000, "2031-11-02T04:00:00.000Z"),
    ("2031-03-30T05:00:00Z", -18_000, -14_400, "2031-03-30T05:00:00.000Z"),
  ])
  func `a day begins at the first of two midnights, or where the clocks skip its midnight`(
    _ change: String, _ before: Int, _ after: Int, _ start: String
  ) throws {
    let zone = try #require(
      PageZone([
        "zone": "X",
        "offsets": [
          ["from": "2030-01-01T00:00:00Z", "offsetSeconds": .integer(Int64(before))],
          ["from": .text(change), "offsetSeconds": .integer(Int64(after))],
        ],
      ]))
    let state = Answers.state(zone: zone)
    let first = try instant(start)
    for seconds: Int64 in [0, 1_800, 5_400, 40_000, 82_000] {
      #expect(state.midnight(before: first.advanced(bySeconds: seconds)) == first, "\(seconds)")
    }
    #expect(state.midnight(before: first.advanced(bySeconds: -1)) == first.advanced(bySeconds: -86_400))
  }

  @Test func `an answer in another form is not read as a zone`() {
    #expect(PageZone(["zone": "X", "offsets": []]) == nil)
    #expect(PageZone(["zone": "X", "offsets": [["from": "x", "offsetSeconds": 0]]]) == nil)
    #expect(
      PageZone(["zone": "X", "offsets": [["from": "2031-10-26T01:00:00Z", "offsetSeconds": 9_000_000]]]) == nil)
    #expect(
      PageZone(["zone": "X", "offsets": [["from": "2031-10-26T01:00:00Z", "offsetSeconds": .integer(.min)]]]) == nil)
  }
}
