import Dashboard
import TextCoding
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
    var before = CivilDay(year: 1599, month: 12, day: 31)
    for number in (before.number + 1)...(before.number + 146_097) {
      let day = CivilDay(number: number)
      #expect(day.number == number && day > before)
      before = day
    }
    #expect(CivilDay(year: 2026, month: 10, day: 24).weekdayName == "Sat")
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

  @Test func `an answer in another form is not read as a zone`() {
    #expect(PageZone(["zone": "X", "offsets": []]) == nil)
    #expect(PageZone(["zone": "X", "offsets": [["from": "x", "offsetSeconds": 0]]]) == nil)
    #expect(
      PageZone(["zone": "X", "offsets": [["from": "2031-10-26T01:00:00Z", "offsetSeconds": 9_000_000]]]) == nil)
  }

  @Test func `seconds between instants are rounded down`() {
    let zero = Instant(milliseconds: 0)
    #expect(Instant(milliseconds: 1999).seconds(since: zero) == 1)
    #expect(Instant(milliseconds: -1).seconds(since: zero) == -1)
    #expect(Instant(milliseconds: -1000).seconds(since: zero) == -1)
  }
}
