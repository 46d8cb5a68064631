import Engine
import HostProcess
import Subprocess
import Synchronization
import SystemPackage

/// One of the product's programs in a process of its own, with its directory.
///
/// It ends with the demo at the latest, even one that was killed: its shell waits for the end of a
/// pipe that only the demo holds. Both are in a session of their own, so that Ctrl-C reaches the demo
/// alone, which ends things in their order.
final class DemoProcess: Sendable {
  private let time: Timekeeper
  private let commands: FileDescriptor
  private let shell: Task<Void, Never>
  private let end: Ended

  /// How it ended, once it has.
  private final class Ended: Sendable {
    let status = Mutex<TerminationStatus?>(nil)
  }

  /// `output` is a file for its standard output, which is discarded otherwise; `ended` is called when it has ended, for
  /// any reason.
  init(
    _ command: [String], environment: [Environment.Key: String], directory: String, log path: String,
    output: String? = nil, time: Timekeeper, ended: @escaping @Sendable () -> Void
  ) throws {
    let log = try Self.file(path)
    let output = try Self.file(output ?? "/dev/null")
    let (theirs, ours) = try FileDescriptor.pipe(options: .closeOnExec)
    var platform = PlatformOptions()
    platform.createSession = true
    self.time = time
    commands = ours
    let end = Ended()
    self.end = end
    // Nothing of our own environment, which may be that of a service, but the paths of programs and libraries.
    var variables = environment
    variables["PATH"] = Host.environment["PATH"] ?? "/usr/bin:/bin"
    variables["LD_LIBRARY_PATH"] = Host.environment["LD_LIBRARY_PATH"]
    shell = Task { [platform, variables] in
      let result = try? await run(
        .path("/bin/sh"), arguments: Arguments(["-c", Self.supervisor, "settled-demo", directory] + command),
        environment: .custom(variables), platformOptions: platform,
        input: .fileDescriptor(theirs, closeAfterSpawningProcess: true),
        output: .fileDescriptor(output, closeAfterSpawningProcess: true),
        error: .fileDescriptor(log, closeAfterSpawningProcess: true))
      end.status.withLock { $0 = result?.terminationStatus ?? .exited(ExitCode.unavailable.rawValue) }
      ended()
    }
  }

  private static func file(_ path: String) throws -> FileDescriptor {
    try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .append, .closeOnExec], permissions: .ownerReadWrite)
  }

  /// Nil while it runs.
  var status: TerminationStatus? { end.status.withLock { $0 } }

  /// Lets requests under way finish, and returns when nothing of it is left.
  func stop() async {
    signal("TERM")
    let killing = Task {
      try await time.sleep(.seconds(25))
      signal("KILL")
    }
    await shell.value
    killing.cancel()
    try? commands.close()
  }

  /// SIGKILL; returns when nothing of it is left.
  func kill() async {
    signal("KILL")
    await shell.value
    try? commands.close()
  }

  /// Waits until it says on its health socket that it is ready. Throws where it ends, or is not ready within two
  /// minutes.
  func isReady(at healthSocket: String, _ name: String, failure: (TerminationStatus) -> Exit) async throws {
    let start = time.now()
    while !(await DemoClient.isReady(socket: healthSocket)) {
      if let status { throw failure(status) }
      guard time.now() - start < .seconds(120) else {
        throw Exit(.tryLater, "\(name) is not ready within two minutes: this machine is too busy, try again")
      }
      try await time.sleep(.milliseconds(50))
    }
  }

  private func signal(_ signal: String) { _ = try? commands.writeAll(Array("\(signal)\n".utf8)) }

  /// Arguments: its directory, and the command. Lines of standard input are signals for it; their end is SIGTERM.
  ///
  /// A watcher reads them, so that the shell can wait for the program's end. Then the directory goes.
  private static let supervisor = #"""
    trap '' INT TERM HUP QUIT PIPE
    directory=$1
    shift
    exec 3<&0 </dev/null
    # A shell cannot restore signals that it ignores: env does.
    env --default-signal=INT,TERM,HUP,QUIT,PIPE "$@" 3<&- &
    program=$!
    { while read -r name; do kill "-$name" "$program"; done; kill -TERM "$program"; } <&3 3<&- 2>/dev/null &
    watcher=$!
    exec 3<&-
    wait "$program"
    code=$?
    kill -KILL "$watcher"
    wait "$watcher" 2>/dev/null
    rm -rf "$directory"
    exit "$code"
    """#
}
