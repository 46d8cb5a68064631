import Markup
import TextCoding

/// The rows of `audit.log`.
enum AuditTable {
  static func brief(_ rows: [JSONValue], _ state: PageState) -> HTML {
    let cells = rows.map { row -> [PageTable.Cell] in
      [
        .html(state.real(state.brief(row.instant("at"))), "muted"), .text(row.shown("command").cut(60)),
        .html(who(row)),
        .name(row.shown("reason"), "wide"),
      ]
    }
    return PageTable(
      label: "Audit", columns: [.text("at"), .text("command"), .text("by"), .text("reason")], rows: cells
    )
    .html(orElse: "The audit log contains no command for this target.")
  }

  static func full(_ rows: [JSONValue], _ state: PageState) -> PageTable {
    let columns: [PageTable.Column] = [
      .number("id"), .text("at"), .text("who"), .text("from"), .text("command"), .text("target"), .text("change"),
      .text("reason"),
      .text("request"),
    ]
    let cells = rows.map { row -> [PageTable.Cell] in
      [
        .text(row.shown("id"), "muted"), .html(state.real(state.precise(row.instant("at")))), .html(who(row)),
        .html(client(row)),
        .html(
          .link(["audit"], query: [("command", row.shown("command").cut(100))], text: row.shown("command").cut(60))),
        .html(.link(["audit"], query: [("target", row.shown("target").cut(200))], [.cut(row.shown("target").cut(60))])),
        .html(Difference.html(before: row["before"], after: row["after"])), .name(row.shown("reason"), "wide"),
        .html(
          .element(
            "code", [Attribute("title", row.shown("requestId").cut(80))], text: String(row.shown("requestId").prefix(8))
          )),
      ]
    }
    return PageTable(label: "Audit", columns: columns, rows: cells)
  }

  private static func who(_ row: JSONValue) -> HTML {
    let uid = row.shown("uid")
    let name = row.shown("user")
    return .element(
      "a", [.link(["audit"], [("uid", uid)]), Attribute("title", "uid \(uid), gid \(row.shown("gid"))")],
      [name.isEmpty ? .text("uid \(uid)") : .cut(name.cut(40))])
  }

  private static func client(_ row: JSONValue) -> HTML {
    let client = row.shown("client")
    return .element(
      "span", [Attribute("class", "muted"), Attribute("title", "pid \(row.shown("pid"))")],
      [client.isEmpty ? .text("pid \(row.shown("pid"))") : .cut(client.cut(40))])
  }
}
