import Dashboard
import Testing
import TextCoding

@Suite("Schedules in plain words") struct ScheduleWordTests {
  private func html(_ view: View, _ byCommand: [String: JSONValue]) throws -> String {
    let answers = try Answers.recorded()
    return Answers(byCommand: answers.byCommand.merging(byCommand) { $1 })
      .html(view, Answers.state(view, zone: answers.london))
  }

  @Test func `a coalesced tick is explained beside its state and below its list`() throws {
    let rows: JSONValue = [
      "rows": [["schedule": "nightly-report", "instant": "2026-10-24T10:00:00.000Z", "status": "coalesced"]]
    ]
    let html = try html(View("schedules", "nightly-report"), ["occurrences": rows])
    #expect(html.contains("title=\"the tick was missed, and a later one runs instead\""))
    #expect(html.contains("planned more than 60 seconds after its instant"))
    let list = try self.html(View("schedules"), ["occurrences": rows])
    #expect(list.contains(": coalesced, the tick was missed, and a later one runs instead\""))
  }

  @Test(arguments: [
    ("skip", "skip: no tick runs"), ("once", "once: the latest tick runs"), ("all", "all: every tick runs"),
  ])
  func `the policy of missed ticks names what runs`(_ word: String, _ words: String) throws {
    let schedule: JSONValue = ["rows": [["name": "nightly-report", "cron": "1 2 * * *", "missed": .text(word)]]]
    for view in [View("schedules"), View("schedules", "nightly-report")] {
      #expect(try html(view, ["schedule.list": schedule]).contains(words))
    }
  }

  @Test func `the preview of a line names its zone, and the days that a clock change touches in that zone`() throws {
    func days(_ gaps: Int64, _ folds: Int64) -> JSONValue {
      ["days": [["day": "2026-11-01", "ticks": 1, "gaps": .integer(gaps), "folds": .integer(folds)]]]
    }
    let view = View("schedules", nil, ["cron": "30 1 * * *", "cronzone": "America/New_York"])
    let twice = try html(view, ["schedule.days": days(0, 1)])
    #expect(twice.contains("America/New_York") && twice.contains("1 tick falls in the repeated hour"))
    #expect(try html(view, ["schedule.days": days(2, 0)]).contains("the clocks skip 2 ticks"))
    #expect(try html(view, ["schedule.days": days(0, 0)]).contains("No clock change in the coming year"))
  }
}
