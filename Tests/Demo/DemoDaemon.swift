import Engine
import FoundationEssentials
import HostProcess
import Subprocess
import Synchronization

/// The daemon in a process of its own, which the story kills once.
final class DemoDaemon: Sendable {
  /// For `settlectl --socket`.
  var controlSocket: String { "\(sockets)/control.sock" }

  private let program = Host.siblingProgram("settled")
  private let directory: String
  private let variables: [Environment.Key: String]
  private let time: Timekeeper
  private let ended: @Sendable () -> Void
  private let running = Mutex<DemoProcess?>(nil)

  private var sockets: String { "\(directory)/daemon" }

  /// `ended` is called when it has ended on its own. Its log and its state stay in `directory`, its sockets do not.
  init(
    databaseURL: String, directory: String, provider: DemoProvider?, time: Timekeeper,
    ended: @escaping @Sendable () -> Void
  ) throws {
    self.directory = directory
    self.time = time
    self.ended = ended
    let state = "\(directory)/state"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    var variables: [Environment.Key: String] = [
      "SETTLED_DATABASE_URL": databaseURL, "SETTLED_NODE": "demo", "SETTLED_STATE_DIRECTORY": state,
      "SETTLED_CONTROL_SOCKET": "\(directory)/daemon/control.sock",
      "SETTLED_HEALTH_SOCKET": "\(directory)/daemon/health.sock",
    ]
    if let provider { variables.merge(provider.variables) { _, new in new } }
    self.variables = variables
  }

  /// Starts it, and returns when it takes work.
  func start() async throws {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw Exit(.unavailable, "there is no program \(program): build settled")
    }
    try FileManager.default.createDirectory(
      atPath: sockets, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let process = try DemoProcess(
      [program, "run", "--config", "/dev/null"], environment: variables, directory: sockets,
      log: "\(directory)/settled.log", time: time
    ) { [self] in
      if running.withLock({ $0.take() }) != nil { ended() }
    }
    running.withLock { $0 = process }
    try await process.isReady(at: "\(sockets)/health.sock", "the daemon") { [directory] status in
      Exit(
        .unavailable,
        "the daemon does not start (\(status)): \(DemoServing.lastWords(of: "settled", in: directory))")
    }
  }

  /// `kill -9`; returns when the process is gone.
  func kill() async { await running.withLock { $0.take() }?.kill() }

  /// Lets running work finish.
  func stop() async { await running.withLock { $0.take() }?.stop() }
}
