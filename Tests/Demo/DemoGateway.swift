import Engine
import HostProcess
import Subprocess

/// The gateway in a process of its own, with a throw-away key.
struct DemoGateway: Sendable {
  private let process: DemoProcess

  /// Starts it, and returns when it serves. Throws `Exit` where it cannot, as when its port is taken.
  ///
  /// `ended` is called when it has ended, for any reason.
  static func start(
    _ files: DemoGatewayFiles, _ serving: DemoServing, time: Timekeeper, ended: @escaping @Sendable () -> Void
  ) async throws -> DemoGateway {
    let process = try DemoProcess(
      [serving.gateway, "run", "--config", "/dev/null"], environment: files.variables(serving),
      directory: files.directory, log: files.log, time: time, ended: ended)
    do {
      try await process.isReady(at: files.healthSocket, "the gateway") { status in
        status == .exited(ExitCode.tryLater.rawValue)
          ? Exit(.tryLater, "\(serving.address) is taken by another program: name another port with --port")
          : Exit(.unavailable, "the gateway does not start (\(status)): \(files.lastWords)")
      }
    } catch {
      await process.stop()
      throw error
    }
    return DemoGateway(process: process)
  }

  /// Lets requests under way finish, and returns when nothing of it is left.
  func stop() async { await process.stop() }
}
