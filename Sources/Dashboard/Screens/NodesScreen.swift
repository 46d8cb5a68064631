import ControlAPI
import Markup
import Plots
import TextCoding

extension Screen {
  static let nodes = Screen("nodes", title: "Nodes and clocks", key: "n", group: "System", parts: [.nodeList, .clocks])
}

extension Part {
  fileprivate static let nodeList = Part("list", watches: [everyFiveSeconds, "command.*"]) { _ in
    [.nodes, .status]
  } body: { state, replies in
    replies.card("Nodes", .nodes, state) { answer in
      let columns: [PageTable.Column] = [
        .text("node"), .text("state"), .text("version"), .text("started"), .number("up"), .text("last seen"),
        .number("silent"),
        .number("clock"), .text("provider"),
      ]
      let versions = Set(answer.rows.map { $0.shown("version") })
      let rows = answer.rows.map { node -> [PageTable.Cell] in
        [
          .name(node.shown("node").cut(60), "strong"), .html(StateText.html(node.shown("state"))),
          .name(node.shown("version").cut(40), versions.count > 1 ? "warn" : ""),
          .html(state.real(state.exact(node.instant("startedAt")))), .text(NodeTimes.up(node)),
          .html(state.real(state.precise(node.instant("lastSeenAt")))),
          .text(node.whole("silentMs").map { Amount.duration(milliseconds: $0) } ?? ""),
          .text(ClockDifference.text(node)),
          .text(node["hasProvider"].map { _ in node.isTrue("hasProvider") ? "yes" : "no" } ?? ""),
        ]
      }
      return CardContent(
        note: versions.count > 1 ? "▲ \(versions.count) versions" : "all nodes run the same version",
        right: drains(state, replies),
        [PageTable(label: "Nodes", columns: columns, rows: rows).html(orElse: "No node has reported.")])
    }
  }

  private static func drains(_ state: PageState, _ replies: [Ask: Reply]) -> HTML {
    guard let status = replies[.status]?.answer else { return HTML() }
    let isDraining = status.shown("state") == "draining"
    var dialog = ChangeDialog(
      isDraining ? .undrain : .drain, [:], id: "drain",
      label: "\(isDraining ? "Undrain" : "Drain") \(status.shown("node").cut(40).isolated)")
    dialog.before = StateText.html(status.shown("state"))
    dialog.after = .text(
      isDraining ? "The node claims work again." : "The node stops claiming work; running work finishes.")
    dialog.tone = isDraining ? "good" : "warn"
    return dialog.html(state)
  }

  fileprivate static let clocks = Part("clocks", watches: [everyFiveSeconds, "command.*"]) { _ in
    [.nodes, .status]
  } body: { state, replies in
    replies.card("Clocks", .nodes, state) { answer in
      let dots = answer.rows.compactMap { node -> DotStrip.Dot? in
        guard let difference = node.whole("clockDifferenceMs") else { return nil }
        let text = "\(node.shown("node").cut(30).isolated): \(ClockDifference.text(node))"
        return DotStrip.Dot(
          value: max(-stop, min(stop, difference)), title: text, label: text,
          tone: difference.magnitude >= stop ? .bad : difference.magnitude >= 100 ? .held : .good)
      }
      let plot = DotStrip(
        label: "Each node's clock compared with the database's; a node stops at a difference of ten minutes",
        dots: dots,
        lines: [(-stop, "−10 min: stop"), (0, "the database"), (stop, "+10 min: stop")],
        ticks: [-stop, -stop / 2, 0, stop / 2, stop]
      ) { Amount.duration(milliseconds: $0) }
      let findings = (replies[.status]?.answer?.list("findings") ?? []).filter { $0.shown("code").contains("clock") }
      var accept = ChangeDialog(.clockAccept, [:], id: "clock-accept", label: "Accept the clock")
      accept.before = .joined(findings.map { .cut($0.shown("text")) }, by: .text("; "))
      accept.after = .text("All nodes accept the database's current time as correct.")
      accept.tone = "warn"
      let items = findings.map { finding in
        HTML.tag(
          "p", "body warn",
          [
            .sign("▲ "), .cut(finding.shown("text")), .text(" since "), state.exact(finding.instant("since")),
            .text(". "),
            .withCode(finding.shown("remedy").cut(400)),
          ])
      }
      let action = findings.isEmpty ? HTML() : accept.html(state)
      return CardContent(
        note: "difference from the database",
        [.tag("div", "pad", [plot.svg]), dots.isEmpty ? .none("No node has reported a difference.") : HTML()] + items
          + [
            action.isEmpty ? HTML() : .tag("div", "act", [action])
          ])
    }
  }

  /// A node whose clock is so far off stops.
  private static let stop: Int64 = 600_000
}
