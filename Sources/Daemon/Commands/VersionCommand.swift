import Engine
import ArgumentParser
import ControlAPI

struct VersionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the versions of the program and of its schema.")

  static let program = "settled"

  static let line = "\(program) \(Version.current), schema \(Migrations().version)"

  func run() async throws { print(Self.line) }
}
