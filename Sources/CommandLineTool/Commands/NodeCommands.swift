import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct StatusCommand: ControlCommand {
  static let command = CommandDescription.status
  static let configuration = CommandConfiguration(command, more: "; what is wrong stands first")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  var timeout: Duration { .seconds(10) }

  func text(_ answer: StatusAnswer, _ style: Style) -> String { answer.text(style) }
}

struct NodesCommand: ControlCommand {
  struct Node: Decodable {
    let node: String
    let version: String
    let startedAt: String?
    let lastSeenAt: String?
    let state: String
    /// Since it was last heard of; nil from a daemon that does not say it.
    let silentMs: Int?

    /// It has missed a heartbeat: it may be ready no more.
    var isOverdue: Bool { ["ready", "degraded", "draining"].contains(state) && (silentMs ?? 0) > 90_000 }

    var seen: String { silentMs.map { Instants.span($0 / 1000) + " ago" } ?? Instants.text(lastSeenAt) }
  }

  static let command = CommandDescription.nodes

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  func text(_ answer: [Node], _ style: Style) -> String {
    Table(
      columns: [.left("NODE", shrinks: true), .left("STATE"), .left("VERSION"), .left("STARTED"), .left("LAST SEEN")],
      rows: answer.map { node in
        Table.Row(
          [
            node.node, node.state + (node.isOverdue ? "?" : ""), node.version, Instants.text(node.startedAt), node.seen,
          ], colour: node.state == "ready" && !node.isOverdue ? nil : .yellow)
      }
    ).text(style)
  }
}

struct DrainCommand: ControlCommand {
  static let command = CommandDescription.drain

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  func text(_ answer: StatusAnswer, _ style: Style) -> String { answer.text(style) }
}

struct UndrainCommand: ControlCommand {
  static let command = CommandDescription.undrain

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  func text(_ answer: StatusAnswer, _ style: Style) -> String { answer.text(style) }
}

struct ReloadCommand: ControlCommand {
  static let command = CommandDescription.reload
  static let configuration = CommandConfiguration(
    command, more: "; a bad one is refused (exit 78) and the old one stays")

  // The daemon answers a reload when the new configuration is in force: there is nothing more to wait for.
  @Flag(help: "Return when the new configuration is in force, as it always does.")
  var wait = false

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  func text(_ answer: JSONValue, _ style: Style) -> String {
    guard case .array(let keys)? = answer["restartNeeded"], !keys.isEmpty else { return "reloaded" }
    let names = Printable.line(keys.map(\.shown).joined(separator: ", "))
    return "reloaded; " + style("only a restart changes: \(names)", .yellow)
  }
}
