import Engine
import FoundationEssentials
import HostProcess

/// The operators' dashboard of the demo's daemon, in a process of its own.
struct DemoDashboard: Sendable {
  /// Where a browser opens it, with its token.
  let address: String
  private let process: DemoProcess

  /// Starts it, and returns when it serves. Throws `Exit` where it cannot.
  ///
  /// It ends after twelve hours without a request, which does not end the demo.
  static func start(
    _ program: String, controlSocket: String, in parent: String, time: Timekeeper
  ) async throws -> DemoDashboard {
    let directory = "\(parent)/dashboard"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let output = "\(directory)/address"
    let process = try DemoProcess(
      [program, "dashboard", "--changes", "--socket", controlSocket], environment: [:], directory: directory,
      log: "\(parent)/dashboard.log", output: output, time: time, ended: {})
    do {
      let address = try await address(in: output, of: process, time) {
        DemoServing.lastWords(of: "dashboard", in: parent)
      }
      return DemoDashboard(address: address, process: process)
    } catch {
      await process.stop()
      throw error
    }
  }

  /// The one line that it prints.
  private static func address(
    in path: String, of process: DemoProcess, _ time: Timekeeper, lastWords: () -> String
  ) async throws -> String {
    let start = time.now()
    while true {
      let lines = (try? Host.text(ofFile: path)) ?? ""
      if let end = lines.firstIndex(of: "\n") { return String(lines[..<end]) }
      if let status = process.status {
        throw Exit(.unavailable, "the dashboard does not start (\(status)): \(lastWords())")
      }
      guard time.now() - start < .seconds(120) else {
        throw Exit(.tryLater, "the dashboard is not ready within two minutes: this machine is too busy, try again")
      }
      try await time.sleep(.milliseconds(50))
    }
  }

  func stop() async { await process.stop() }
}
