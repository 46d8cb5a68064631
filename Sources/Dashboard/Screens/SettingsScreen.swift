import ControlAPI
import Markup
import TextCoding

extension Screen {
  static let settings = Screen(
    "settings", title: "Settings", key: "x", group: "System", parts: [.setting, .settingList])
}

extension Part {
  private static let ask = Ask("settings")

  fileprivate static let settingList = Part("settings", watches: ["command.set"]) { _ in
    [ask]
  } body: { state, replies in
    replies.card("Settings", ask, state) { answer in
      let shown = found(state.id, answer.rows)
      let rows = shown.map { row -> [PageTable.Cell] in
        let (key, value, standard) = (row.shown("key"), row.shown("value"), row.shown("default"))
        let change = [
          row.instant("changedAt").map { state.real(state.exact($0)) }, .cut(row.shown("changedBy").cut(40)),
        ]
        return [
          .html(.link(["settings", key], [.cut(key)])), .name(value, value == standard ? "" : "strong warn"),
          .html(value == standard ? .tag("span", "muted", text: "same") : .cut(standard)),
          .name(row.shown("meaning"), "wide muted"),
          .html(.joined(change.compactMap(\.self), by: .text(" "))),
        ]
      }
      return CardContent(
        note: (rows.count == answer.rows.count ? "" : "\(rows.count) of ") + "\(answer.rows.count) settings",
        [
          PageTable(
            label: "Settings",
            columns: [.text("setting"), .text("value"), .text("default"), .text("meaning"), .text("last change")],
            rows: rows,
            isList: true
          ).html(orElse: "There are no settings.")
        ])
    }
  }

  /// All settings; for a word that names none, those that mention it, where there are any.
  private static func found(_ word: String?, _ rows: [JSONValue]) -> [JSONValue] {
    guard let word = word?.lowercased(), !rows.contains(where: { $0.shown("key") == word }) else { return rows }
    let some = rows.filter { ($0.shown("key") + " " + $0.shown("meaning")).lowercased().contains(word) }
    return some.isEmpty ? rows : some
  }

  fileprivate static let setting = Part("setting", watches: ["command.set"]) { state in
    state.id == nil ? [] : [ask]
  } body: { state, replies in
    guard let key = state.id else { return HTML() }
    return replies.card("Setting \(key.cut(80))", ask, state) { answer in
      guard let row = answer.rows.first(where: { $0.shown("key") == key }) else {
        return CardContent([
          .none(
            "No setting has this name. The list shows the settings that mention this name, or all settings if none do.")
        ])
      }
      var change = ChangeDialog(.set, ["key": .text(key)], id: "set", label: "Change")
      change.fields = ["value"]
      change.before = .cut(row.shown("value"))
      change.after = .text("The value that you enter")
      let dialog = change.html(state)
      return CardContent(
        right: .link(
          ["audit"], query: [("command", "set"), ("target", key.cut(200))], classes: "muted", text: "all changes"),
        [
          Facts.html([
            ("value", .cut(row.shown("value"))), ("default", .cut(row.shown("default"))),
            ("meaning", .cut(row.shown("meaning").cut(400))),
            ("last change", lastChange(row, state)), ("by", .cut(row.shown("changedBy").cut(40))),
          ]), dialog.isEmpty ? HTML() : .tag("div", "act", [dialog]),
        ])
    }
  }

  /// One that was made by SQL, as an installer does, is in no audit.
  private static func lastChange(_ row: JSONValue, _ state: PageState) -> HTML {
    row.instant("changedAt").map { state.real(state.exact($0)) } ?? .text("no operator has changed it")
  }
}
