import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let audit = Screen("audit", title: "Audit", key: "a", group: "System", parts: [.auditList])
}

extension Part {
  private static let pageSize: Int64 = 100

  private static func ask(_ state: PageState) -> Ask {
    var ask = Ask("audit.log", ["limit": .integer(pageSize)])
    for name in ["from", "command", "target", "after"] {
      ask.arguments[name] = state.filter(name).map(ParameterValue.text)
    }
    ask.arguments["uid"] = state.filter("uid").flatMap { Int64($0) }.map(ParameterValue.integer)
    return ask
  }

  fileprivate static let auditList = Part("log", watches: ["command.*"]) { state in
    [ask(state)]
  } body: { state, replies in
    replies.card("Audit", ask(state), state) { answer in
      let next = answer.rows.count == Int(pageSize) ? answer.rows.last?["cursor"]?.text : nil
      return CardContent(
        note: "newest first; hover over a request id to see it in full",
        [
          Filters.fields(
            state, [("uid", "Uid"), ("command", "Command"), ("target", "Target"), ("from", "Since (instant)")]),
          AuditTable.full(answer.rows, state).html(
            orElse: state.filters.isEmpty ? "No operator has changed anything." : "No changes match these filters."),
          Pager.html(state, ["audit"], next: next),
        ])
    }
  }
}
