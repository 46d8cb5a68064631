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
    #expect(html.contains("type=\"hidden\" name=\"id\" value=\"17\""))
    #expect(html.contains("<textarea") && html.contains(" required"))
    #expect(html.contains("data-line=\"settlectl review disqualify\" data-behind=\"17\">"))
  }

  @Test func `a hostile argument is one word of the command line`() {
    let pause = ChangeDialog(
      .jobPause, ["name": .text("a'; rm -rf / #\u{301}<b>")], id: "pause", label: "Pause")
    let html = pause.html(state(.operate)).description
    #expect(
      html.contains(
        "data-line=\"settlectl job pause\" data-behind=\"&#39;a&#39;\\&#39;&#39;; rm -rf / #\u{301}&lt;b&gt;&#39;"))
    #expect(!html.contains("<b>"))
  }

  @Test func `fields without a name stand behind the end of the options, and others carry theirs`() {
    var set = ChangeDialog(.set, ["key": .text("racing.grace")], id: "set", label: "Change")
    set.fields = ["value"]
    let html = set.html(state(.admin)).description
    #expect(html.contains("data-line=\"settlectl set\" data-behind=\"-- racing.grace\""))
    #expect(html.contains("name=\"value\" data-word=\"\""))
    #expect(html.contains("name=\"reason\" data-word=\"--reason=\""))
  }

  @Test func `a field with a few values is a choice of them, and stands in the command line`() {
    var overrule = ChangeDialog(.reviewOverrule, ["id": .integer(17)], id: "overrule", label: "Overrule")
    (overrule.fields, overrule.choices) = (["decision"], ["decision": ["approve", "disqualify"]])
    let html = overrule.html(state(.admin)).description
    #expect(html.contains("<select id=\"overrule-decision\" name=\"decision\" data-word=\"--decision=\" required>"))
    #expect(html.contains("<option>approve</option><option>disqualify</option></select>"))
  }

  @Test func `an argument that begins with a hyphen stands behind the end of the options`() {
    let pause = ChangeDialog(.jobPause, ["name": .text("-5")], id: "pause", label: "Pause")
    #expect(pause.html(state(.operate)).description.contains("data-behind=\"-- -5\""))
  }

  @Test func `the line names the socket and the host of the daemon`() {
    var far = state(.operate)
    far.place = DaemonPlace(socket: "/run/my socket", host: "db1")
    let html = disqualify.html(far).description
    #expect(html.contains("data-line=\"settlectl review disqualify --socket=&#39;/run/my socket&#39;\""))
    #expect(html.contains("data-host=\"db1\""))
    #expect(!disqualify.html(state(.operate)).description.contains("data-host"))
  }
}
