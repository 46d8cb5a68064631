import ControlAPI
import Dashboard
import Markup
import Testing

@Suite("The dialog of a change") struct ChangeDialogTests {
  private func state(_ level: CommandLevel, allowsChanges: Bool = true) -> PageState {
    PageState(
      now: Instant(milliseconds: 0), zone: .utc, caller: Operator(uid: 1, user: nil, level: level),
      allowsChanges: allowsChanges)
  }

  private let disqualify = ChangeDialog(
    .reviewDisqualify, ["id": .integer(17)], id: "disqualify-17", label: "Disqualify")

  @Test func `nobody is shown a button that he may not press`() {
    #expect(disqualify.html(state(.read)).isEmpty)
    #expect(disqualify.html(state(.admin, allowsChanges: false)).isEmpty)
    #expect(!disqualify.html(state(.operate)).isEmpty)
  }

  @Test func `the dialog has the arguments, the required reason and the command line that does the same`() {
    let html = disqualify.html(state(.operate)).description
    #expect(html.contains("data-opens=\"disqualify-17\"") && html.contains("<dialog id=\"disqualify-17\""))
    #expect(html.contains("data-command=\"review.disqualify\""))
    #expect(html.contains("type=\"hidden\" name=\"id\" value=\"17\" data-kind=\"integer\""))
    #expect(html.contains("<textarea") && html.contains(" required"))
    #expect(html.contains("data-line=\"settlectl review disqualify 17\""))
  }

  @Test func `a hostile argument is one word of the command line`() {
    let pause = ChangeDialog(
      .jobPause, ["name": .text("a'; rm -rf / #\u{301}<b>")], id: "pause", label: "Pause")
    let html = pause.html(state(.operate)).description
    #expect(html.contains("settlectl job pause &#39;a&#39;\\&#39;&#39;; rm -rf / #\u{301}&lt;b&gt;&#39;"))
    #expect(!html.contains("<b>"))
  }
}
