import ArgumentParser
import ControlAPI
import ControlClient

struct StravaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strava", abstract: "Look at connections to Strava, and steer them.",
    subcommands: [Status.self, Refresh.self, Disconnect.self, RotateKey.self])

  struct Connection: Decodable {
    let athleteId: Int64
    let status: String
    let expiresAt: String?

    var text: String {
      let end = expiresAt.map { ", its token lasts until \(Instants.text($0))" } ?? ""
      return "the connection of athlete \(athleteId) is \(Printable.line(status))\(end)"
    }
  }

  struct Refresh: ControlCommand {
    static let command = CommandDescription.stravaRefresh

    @Argument(help: .of(command, "id"))
    var id: Int64

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command, ["id": .integer(id)]) }

    func text(_ answer: Connection, _ style: Style) -> String {
      answer.text + "; Strava is asked next, and gives the same token while more than an hour is left"
    }
  }

  struct Disconnect: ControlCommand {
    static let command = CommandDescription.stravaDisconnect

    @Argument(help: .of(command, "id"))
    var id: Int64

    @Option(help: .of(command, "reason"))
    var reason: String

    @OptionGroup var options: ControlOptions

    var request: ControlRequest {
      ControlRequest(Self.command, ["id": .integer(id), "reason": .text(reason)])
    }

    func text(_ answer: Connection, _ style: Style) -> String { answer.text }
  }

  struct RotateKey: ControlCommand {
    struct Answer: Decodable {
      let resealed: Int64
      let left: Int64
      let keyId: String
    }

    static let command = CommandDescription.stravaRotateKey

    @OptionGroup var options: ControlOptions

    var request: ControlRequest { ControlRequest(Self.command) }

    func text(_ answer: Answer, _ style: Style) -> String {
      let rest = answer.left == 0 ? "none is left" : "\(answer.left) not yet: call again to see how far it is"
      let done = Counted.text(answer.resealed, "secret")
      return "the key \(Printable.line(answer.keyId)) seals; \(done) with it, \(rest)"
    }
  }
}
