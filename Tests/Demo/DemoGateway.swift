import Engine
import HostProcess
import Subprocess
import Synchronization
import SystemPackage

/// The gateway in a process of its own, with a throw-away key.
///
/// It ends with the demo at the latest, even one that was killed: its shell waits for the end of a
/// pipe that only the demo holds. Both are in a session of their own, so that Ctrl-C reaches the demo
/// alone, which ends things in their order.
final class DemoGateway: Sendable {
  private let time: Timekeeper
  private let commands: FileDescriptor
  private let shell: Task<Void, Never>
  private let end: Ended

  /// How it ended, once it has.
  private final class Ended: Sendable {
    let status = Mutex<TerminationStatus?>(nil)
  }

  /// Starts it, and returns when it serves. Throws `Exit` where it cannot, as when its port is taken.
  ///
  /// `ended` is called when it has ended, for whatever reason.
  static func start(
    _ files: DemoGatewayFiles, _ serving: DemoServing, time: Timekeeper, ended: @escaping @Sendable () -> Void
  ) async throws -> DemoGateway {
    let gateway = try DemoGateway(files, serving, time, ended)
    do {
      try await gateway.serves(files, serving)
    } catch {
      await gateway.stop()
      throw error
    }
    return gateway
  }

  private init(
    _ files: DemoGatewayFiles, _ serving: DemoServing, _ time: Timekeeper, _ ended: @escaping @Sendable () -> Void
  ) throws {
    let log = try FileDescriptor.open(
      FilePath(files.log), .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
    let (theirs, ours) = try FileDescriptor.pipe(options: .closeOnExec)
    var platform = PlatformOptions()
    platform.createSession = true
    self.time = time
    commands = ours
    let end = Ended()
    self.end = end
    shell = Task { [platform] in
      let result = try? await run(
        .path("/bin/sh"),
        arguments: [
          "-c", Self.supervisor, "settled-demo", files.directory, serving.gateway, "run", "--config", "/dev/null",
        ],
        environment: .custom(files.variables(serving)), platformOptions: platform,
        input: .fileDescriptor(theirs, closeAfterSpawningProcess: true), output: .discarded,
        error: .fileDescriptor(log, closeAfterSpawningProcess: true))
      end.status.withLock { $0 = result?.terminationStatus ?? .exited(ExitCode.unavailable.rawValue) }
      ended()
    }
  }

  /// Lets requests under way finish, and returns when nothing of it is left.
  func stop() async {
    signal("TERM")
    let killing = Task {
      try await time.sleep(.seconds(15))
      signal("KILL")
    }
    await shell.value
    killing.cancel()
    try? commands.close()
  }

  private func signal(_ signal: String) { _ = try? commands.writeAll(Array("\(signal)\n".utf8)) }

  /// Waits until it serves.
  private func serves(_ files: DemoGatewayFiles, _ serving: DemoServing) async throws {
    let start = time.now()
    while !(await DemoClient.isReady(socket: files.healthSocket)) {
      if let status = end.status.withLock({ $0 }) {
        guard status != .exited(ExitCode.tryLater.rawValue) else {
          throw Exit(.tryLater, "\(serving.address) is taken by another program: name another port with --port")
        }
        throw Exit(.unavailable, "the gateway does not start (\(status)): \(files.lastWords)")
      }
      guard time.now() - start < .seconds(30) else { throw Exit(.unavailable, "the gateway is not ready within 30 s") }
      try await time.sleep(.milliseconds(50))
    }
  }

  /// Arguments: its directory, and the command. Lines of standard input are signals for it; their end is SIGTERM.
  ///
  /// A watcher reads them, so that the shell can wait for the gateway's end. Then the directory with the key goes.
  private static let supervisor = #"""
    trap '' INT TERM HUP QUIT PIPE
    directory=$1
    shift
    exec 3<&0 </dev/null
    # A shell cannot restore signals that it ignores: env does.
    env --default-signal=INT,TERM,HUP,QUIT,PIPE "$@" 3<&- &
    gateway=$!
    { while read -r name; do kill "-$name" "$gateway"; done; kill -TERM "$gateway"; } <&3 3<&- 2>/dev/null &
    watcher=$!
    exec 3<&-
    wait "$gateway"
    code=$?
    kill -KILL "$watcher"
    wait "$watcher" 2>/dev/null
    rm -rf "$directory"
    exit "$code"
    """#
}
