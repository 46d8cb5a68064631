import Foundation

/// The real `settled` in a process of its own, which ends with the test process at the latest.
///
/// A shell starts a watcher and becomes `settled`; the watcher kills it when our end of its pipe closes, for any
/// reason, SIGKILL included.
package final class SettledProcess: Sendable {
  package enum Exit: Sendable, Hashable {
    case code(Int32)
    case signal(Int32)
  }

  /// The programs, which are built beside the test bundle.
  package static let program = built("settled")
  package static let tool = built("settlectl")

  package static func built(_ name: String) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
    precondition(FileManager.default.isExecutableFile(atPath: beside), "\(name) is not built: \(beside)")
    return beside
  }

  private static let launcher = #"""
    exec 3<&0
    me=$$
    ( while read -r _ <&3; do :; done
      [ "$(readlink "/proc/$me/exe")" != "$1" ] || kill -KILL "$me" ) </dev/null >/dev/null 2>&1 &
    exec "$@" </dev/null 3<&-
    """#

  package let pid: Int32
  /// Its standard output and standard error.
  package let output: CapturedText
  package let errors: CapturedText
  /// Objects that live as long as this does.
  private let scratch: ScratchDirectory?
  private let life: FileHandle
  private let ended = AsyncResult<Exit>()

  /// The directory of its sockets, its own unless the environment names others.
  package let directory: String
  package let controlSocket: String
  package let healthSocket: String

  /// Starts `settled` with an environment that holds these variables, and only the path of the test's own.
  package init(
    _ arguments: [String], _ environment: [String: String] = [:], program: String = SettledProcess.program,
    scratch: ScratchDirectory? = nil
  ) throws {
    self.scratch = scratch
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    directory = "/tmp/settled-test-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    let defaults = [
      "PATH": path, "SETTLED_CONTROL_SOCKET": "\(directory)/control.sock",
      "SETTLED_HEALTH_SOCKET": "\(directory)/health.sock",
    ]
    controlSocket = environment["SETTLED_CONTROL_SOCKET"] ?? "\(directory)/control.sock"
    healthSocket = environment["SETTLED_HEALTH_SOCKET"] ?? "\(directory)/health.sock"
    let (life, output, errors) = (try makePipe(), try makePipe(), try makePipe())
    pid = try spawn(
      ["/bin/sh", "-c", Self.launcher, "settled-test", program] + arguments,
      environment: environment.merging(defaults) { given, _ in given },
      input: life.read.fileDescriptor, output: output.write.fileDescriptor,
      error: errors.write.fileDescriptor)
    for theirs in [life.read, output.write, errors.write] {
      try theirs.close()
    }
    self.life = life.write
    self.output = CapturedText(output.read)
    self.errors = CapturedText(errors.read)
    Thread.detachNewThread { [pid, ended] in
      var status: Int32 = 0
      while waitpid(pid, &status, 0) == -1 && errno == EINTR {}
      ended.set(status & 0x7f == 0 ? .code(status >> 8 & 0xff) : .signal(status & 0x7f))
    }
  }

  deinit {
    killHard()
    try? life.close()
    try? FileManager.default.removeItem(atPath: directory)
  }

  package var isRunning: Bool { ended.value == nil }

  package func terminate() { send(SIGTERM) }
  package func interrupt() { send(SIGINT) }
  package func killHard() { send(SIGKILL) }

  /// A process that has ended may have left its number to another.
  private func send(_ signal: Int32) {
    if isRunning { kill(pid, signal) }
  }

  /// How it ended, once it has and all its output is read.
  package func exit(within limit: Duration = .seconds(90)) async throws -> Exit {
    let exit = try await TestSupport.within(limit, "the end of settled (\(errors.text))") { [ended] in
      try await ended.get()
    }
    try? life.close()
    try await TestSupport.within(limit, "the end of its output") { [output, errors] in
      await output.end()
      await errors.end()
    }
    return exit
  }

  /// Waits for a text in its log, also one that was already written.
  package func log(_ text: String, within limit: Duration = .seconds(90)) async throws {
    try await TestSupport.within(limit, "\"\(text)\" in the log (\(errors.text))") { [errors] in
      guard await errors.contains(text) else {
        throw TimeLimitError(description: "settled ended without \"\(text)\" in its log: \(errors.text)")
      }
    }
  }
}
