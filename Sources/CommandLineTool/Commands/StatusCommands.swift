import ArgumentParser
import ControlClient

struct StatusCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "How the daemon and its jobs are; what is wrong stands first.")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .get("status") }

  var patience: Duration { .seconds(10) }

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

  static let configuration = CommandConfiguration(
    commandName: "nodes", abstract: "The daemons that share the work.")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .get("nodes") }

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
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Claim nothing more on this node; what is under way is finished.")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .post("drain") }

  func text(_ answer: StatusAnswer, _ style: Style) -> String { answer.text(style) }
}

struct UndrainCommand: ControlCommand {
  static let configuration = CommandConfiguration(commandName: "undrain", abstract: "Claim again on this node.")

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .post("undrain") }

  func text(_ answer: StatusAnswer, _ style: Style) -> String { answer.text(style) }
}

struct ReloadCommand: ControlCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract: "Read the configuration again; a bad one is refused (exit 78) and the old one stays.")

  // The daemon answers a reload when the new configuration is in force: there is nothing more to wait for.
  @Flag(help: "Return when the new configuration is in force, as it always does.")
  var wait = false

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { .post("reload") }

  func text(_ answer: Value, _ style: Style) -> String {
    guard case .array(let keys)? = answer["restartNeeded"], !keys.isEmpty else { return "reloaded" }
    let names = Printable.line(keys.map(\.text).joined(separator: ", "))
    return "reloaded; " + style("only a restart changes: \(names)", .yellow)
  }
}
