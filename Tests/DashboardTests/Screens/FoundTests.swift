import Dashboard
import Testing
import TextCoding

@Suite("What Find leads to") struct FoundTests {
  @Test(arguments: ["races", "reviews", "athletes", "withdrawals", "ledger"])
  func `an address whose id is a word names the form that Find takes`(_ screen: String) throws {
    let answers = try Answers.recorded()
    let word = answers.html(View(screen, "ann"), Answers.state(View(screen, "ann")))
    #expect(word.contains("ann</bdi> is not a number") && word.contains("athlete 42"))
    let list = answers.html(View(screen), Answers.state(View(screen)))
    #expect(!list.contains("is not a number"))
  }

  @Test func `a word that names no setting shows the settings that mention it`() throws {
    var byCommand = try Answers.recorded().byCommand
    let settings = """
      {"rows": [{"key": "racing.review_hold", "value": "72 hours", "default": "72 hours", "meaning": "Longest time"},
        {"key": "seasons.time_zone", "value": "UTC", "default": "UTC", "meaning": "Calendar of a Season"}]}
      """
    byCommand["settings"] = try JSONValue(settings)
    func html(_ id: String) -> String {
      Answers(byCommand: byCommand).html(View("settings", id), Answers.state(View("settings", id)))
    }
    for word in ["hold", "LONGEST"] {
      #expect(html(word).contains("racing.review_hold") && !html(word).contains("seasons.time_zone"))
      #expect(html(word).contains("1 of 2 settings"))
    }
    // A name opens its setting among all of them; a word that nothing mentions hides nothing.
    for word in ["seasons.time_zone", "nothing"] {
      #expect(html(word).contains("racing.review_hold") && html(word).contains("seasons.time_zone"))
    }
  }

  @Test(arguments: [true, false]) func `withdrawals offer the way that is not taken`(_ isStopped: Bool) throws {
    var byCommand = try Answers.recorded().byCommand
    let finding = #"{"code": "withdrawals-stopped", "text": "stopped", "since": "2026-10-24T10:00:00Z"}"#
    byCommand["status"] = try JSONValue(#"{"state": "ready", "findings": [\#(isStopped ? finding : "")]}"#)
    let html = Answers(byCommand: byCommand).html(View("withdrawals"), Answers.state(View("withdrawals")))
    #expect(html.contains(#"data-command="withdrawals.resume""#) == isStopped)
    #expect(html.contains(#"data-command="withdrawals.stop""#) != isStopped)
  }

  @Test func `a change of an object is shown without the signs of JSON`() throws {
    var byCommand = try Answers.recorded().byCommand
    let audit = """
      {"rows": [{"id": 1, "at": "2026-10-24T10:00:00Z", "command": "review.approve", "target": "activity 1",
        "before": {"state": {"level": 2, "flags": [7, 8]}}, "after": {"state": {"level": null, "flags": []}}}]}
      """
    byCommand["audit.log"] = try JSONValue(audit)
    let html = Answers(byCommand: byCommand).html(View("audit"), Answers.state(View("audit")))
    #expect(
      html.contains("flags 7, 8, level 2") && html.contains("flags none, level –") && !html.contains("{&quot;level"),
      "\(html.suffix(1500))")
  }
}
