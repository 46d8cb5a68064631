import ArgumentParser
import ControlAPI
import ControlClient
import TextCoding

struct ReloadCommand: ControlCommand {
  static let command = CommandDescription.reload

  // The daemon answers a reload when the new configuration is in force: nothing more needs waiting for.
  @Flag(help: "Wait until the new configuration is in effect (always enabled).")
  var wait = false

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }

  func text(_ answer: JSONValue, _ style: Style) -> String {
    guard case .array(let keys)? = answer["restartNeeded"], !keys.isEmpty else { return "reloaded" }
    let names = Printable.line(keys.map(\.shown).joined(separator: ", "))
    return "reloaded; " + style("restart to apply: \(names)", .yellow)
  }
}

extension StatusCommand {
  typealias Answer = StatusAnswer

  var timeout: Duration { .seconds(10) }
}

extension NodesCommand {
  struct Node: Decodable {
    let node: String
    let version: String
    let startedAt: String?
    let lastSeenAt: String?
    let state: String
    /// The time since it was last seen; nil from a daemon that does not report it.
    let silentMs: Int?
    /// Whether it is configured to call the provider of activities; nil if that is unknown.
    let hasProvider: Bool?

    /// It has missed a heartbeat: it may no longer be ready.
    var isOverdue: Bool { ["ready", "degraded", "draining"].contains(state) && (silentMs ?? 0) > 90_000 }

    var seen: String { silentMs.map { Instants.span($0 / 1000) + " ago" } ?? Instants.text(lastSeenAt) }
  }

  func text(_ answer: [Node], _ style: Style) -> String {
    Table(
      columns: [
        .left("NODE", shrinks: true), .left("STATE"), .left("VERSION"), .left("STARTED"), .left("LAST SEEN"),
        .left("PROVIDER"),
      ],
      rows: answer.map { node in
        Table.Row(
          [
            node.node, node.state + (node.isOverdue ? "?" : ""), node.version, Instants.text(node.startedAt), node.seen,
            node.hasProvider.map { $0 ? "yes" : "no" } ?? "-",
          ], colour: node.state == "ready" && !node.isOverdue ? nil : .yellow)
      }
    ).text(style)
  }
}

extension CallerCommand {
  func text(_ answer: JSONValue, _ style: Style) -> String {
    let user = answer["user"]?.text.map { "\($0) (uid \(answer["uid"]?.shown ?? "-"))" }
    return Printable.line("\(user ?? "uid \(answer["uid"]?.shown ?? "-")"): level \(answer["level"]?.shown ?? "-")")
  }
}

extension DrainCommand { typealias Answer = StatusAnswer }
extension UndrainCommand { typealias Answer = StatusAnswer }

extension DoctorCommand {
  struct Check: Decodable {
    let check: String
    let ok: Bool
    let finding: String?
    let remedy: String?
  }

  func text(_ answer: [Check], _ style: Style) -> String {
    let width = max(20, style.width - 9)
    return answer.sorted { !$0.ok && $1.ok }.map { check in
      let mark = check.ok ? style("ok", .green) + "   " : style("FAIL", .red) + " "
      let finding = check.finding.map { ": \($0)" } ?? ""
      var lines = Printable.wrap(check.check + finding, to: width)
      if !check.ok, let remedy = check.remedy { lines += Printable.wrap("-> " + remedy, to: width) }
      return mark + "  " + lines.joined(separator: "\n       ")
    }.joined(separator: "\n")
  }

  func isRefusal(_ answer: [Check]) -> Bool { answer.contains { !$0.ok } }
}

// The rest of this file is generated from ControlAPI: `swift run settled-texts`.

struct StatusCommand: ControlCommand {
  static let command = CommandDescription.status

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }
}

struct NodesCommand: ControlCommand {
  static let command = CommandDescription.nodes

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }
}

struct DoctorCommand: ControlCommand {
  static let command = CommandDescription.doctor

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }
}

struct CallerCommand: ControlCommand {
  static let command = CommandDescription.caller

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }
}

struct DrainCommand: ControlCommand {
  static let command = CommandDescription.drain

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }
}

struct UndrainCommand: ControlCommand {
  static let command = CommandDescription.undrain

  @OptionGroup var options: ControlOptions

  var request: ControlRequest { ControlRequest(Self.command) }
}
