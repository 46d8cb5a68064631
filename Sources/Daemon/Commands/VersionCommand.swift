import ArgumentParser
import Engine

struct VersionCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the versions of the program and of its schema.")

  func run() async throws {
    print("settled \(Version.current), schema \(Migrations().version)")
  }
}
