import ControlAPI
import Dashboard
import TestSupport
import Testing
import TextCoding

@Suite("Screens are as recorded") struct RecordedScreenTests {
  @Test(arguments: View.all) func `a screen is rendered as it stands in Tests/Recorded`(_ view: View) throws {
    let answers = try Answers.recorded()
    let html = answers.html(view, Answers.state(view, zone: answers.london))
    // A line for each row and mark, so that a difference names one.
    let lines = html.replacing("<tr>", with: "\n<tr>").replacing("<title>", with: "\n<title>")
    let difference = try Checkout.firstDifference(of: "Tests/Recorded/dashboard/\(view.name).html", from: lines)
    #expect(difference == nil, "where the new form is right, SETTLED_WRITE=1 writes the file")
  }

  @Test(arguments: View.all) func `a daemon without the commands has screens that name them`(_ view: View) {
    let state = Answers.state(view)
    let html = Answers(byCommand: [:]).html(view, state)
    let asked = Set((Screen.named(view.screen)?.parts ?? []).flatMap { $0.asks(state) }.map(\.command))
    #expect(!asked.isEmpty)
    let isNamed = asked.contains { html.contains("settled 1.4.0 does not support \($0);") }
    #expect(isNamed)
  }

  @Test func `each screen has its own name, key and part names`() {
    #expect(Set(Screen.all.map(\.name)).count == Screen.all.count)
    #expect(Set(Screen.all.map(\.key)).count == Screen.all.count)
    for screen in Screen.all { #expect(Set(screen.parts.map(\.name)).count == screen.parts.count) }
  }

  @Test(arguments: View.all) func `a caller who may only read gets no button of a change`(_ view: View) throws {
    let answers = try Answers.recorded()
    for state in [Answers.state(view, level: .read), Answers.state(view, allowsChanges: false)] {
      #expect(!answers.html(view, state).contains("data-command"))
    }
  }

  @Test func `a decision that would be refused has no button`() throws {
    var byCommand = try Answers.recorded().byCommand
    let review = try #require(byCommand["review.show"]).serialized
    let open = #""refusals": {"approve": null, "disqualify": null, "overrule": null, "requestInfo": null}"#
    let decided =
      #""refusals": {"approve": "decided", "disqualify": "window", "overrule": null, "requestInfo": "decided"}"#
    #expect(review.contains(open))
    byCommand["review.show"] = try JSONValue(review.replacing(open, with: decided))
    let view = View("reviews", "98217")
    let html = Answers(byCommand: byCommand).html(view, Answers.state(view))
    for name in ["approve", "disqualify", "request-info"] { #expect(!html.contains("data-command=\"review.\(name)\"")) }
    #expect(html.contains(#"data-command="review.overrule""#))
    #expect(!html.contains("The activity will count") && !html.contains("The activity will stay under review"))
    #expect(
      html.contains(
        "Currently refused: approve (the activity already has a decision), disqualify (the review window has ended), "
          + "request info (the activity already has a decision)"))
  }

  @Test func `a review's audit is asked for under the name that decisions have in it`() throws {
    let state = Answers.state(View("reviews", "98217"))
    let asks = Set(try #require(Screen.named("reviews")).parts.flatMap { $0.asks(state) })
    let audits = asks.filter { $0.command == "audit.log" }
    #expect(audits.map { $0.arguments["target"] } == [.text("activity 98217")])
    let html = try Answers.recorded().html(View("reviews", "98217"), state)
    #expect(html.contains("href=\"/audit?target=activity%2098217\"") || html.contains("/audit?target=activity+98217"))
  }

  @Test func `a line is previewed around each clock change of the coming year`() throws {
    var state = Answers.state(View("schedules"), zone: try Answers.recorded().london)
    state.query = ["cron": "30 1 * * *"]
    let part = try #require(Screen.named("schedules")?.parts.first { $0.name == "preview" })
    let begins = part.asks(state).filter { $0.command == "schedule.preview" }.compactMap { $0.arguments["from"] }
    #expect(begins.contains(.text("2026-10-23T13:00:00.000Z")), "\(begins)")
  }

  @Test func `a moderator gets the buttons of level operate and none of an administrator`() throws {
    let view = View("reviews", "98217")
    let html = try Answers.recorded().html(view, Answers.state(view, level: .operate))
    #expect(html.contains(#"data-command="review.approve""#))
    #expect(!html.contains(#"data-command="review.overrule""#))
  }
}
