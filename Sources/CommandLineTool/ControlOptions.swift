import ArgumentParser
import ControlAPI
import ControlClient
import Glibc

/// The options of every command.
package struct ControlOptions: ParsableArguments {
  @Flag(help: "Print the daemon's JSON unchanged.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "The daemon's control socket (default: $\(ControlDefaults.socketVariable), or \(ControlDefaults.controlSocket)).",
      valueName: "path"))
  var socket: String?

  var path: String {
    socket ?? getenv(ControlDefaults.socketVariable).map { String(cString: $0) } ?? ControlDefaults.controlSocket
  }

  package init() {}
}
