import Foundation
import Synchronization

/// The real `settled` in a process of its own, which ends with the test process at the latest.
///
/// A shell starts a watcher and becomes `settled`; the watcher kills it when our end of its pipe closes, for whatever
/// reason, SIGKILL included.
package final class SettledProcess: Sendable {
  package enum Exit: Sendable, Hashable {
    case code(Int32)
    case signal(Int32)
  }

  /// The program, which is built beside the test bundle.
  package static let program: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let beside = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("settled").path
    precondition(FileManager.default.isExecutableFile(atPath: beside), "settled is not built: \(beside)")
    return beside
  }()

  private static let launcher = #"""
    exec 3<&0
    me=$$
    ( while read -r _ <&3; do :; done
      [ "$(readlink "/proc/$me/exe")" != "$1" ] || kill -KILL "$me" ) </dev/null >/dev/null 2>&1 &
    exec "$@" </dev/null 3<&-
    """#

  private let process: Mutex<Process>
  private let life = Pipe()
  private let ended: AsyncResult<Exit>
  package let pid: Int32
  /// What it wrote to standard output and to standard error, line by line.
  package let output: CapturedLines
  package let errors: CapturedLines

  /// Starts `settled` with an environment that holds these variables and nothing of ours but the path.
  package init(_ arguments: [String], _ environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", Self.launcher, "settled-test", Self.program] + arguments
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    process.environment = environment.merging(["PATH": path]) { given, _ in given }
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = life
    process.standardOutput = output
    process.standardError = errors
    let ended = AsyncResult<Exit>()
    process.terminationHandler = { process in
      ended.set(
        process.terminationReason == .exit ? .code(process.terminationStatus) : .signal(process.terminationStatus))
    }
    self.ended = ended
    self.output = CapturedLines(output.fileHandleForReading)
    self.errors = CapturedLines(errors.fileHandleForReading)
    try process.run()
    pid = process.processIdentifier
    self.process = Mutex(process)
  }

  deinit {
    kill(pidIfAlive, SIGKILL)
    try? life.fileHandleForWriting.close()
  }

  package func terminate() { kill(pidIfAlive, SIGTERM) }

  package func killHard() { kill(pidIfAlive, SIGKILL) }

  /// Signal 0 to ourselves does nothing: a process that has ended may have left its number to another.
  private var pidIfAlive: Int32 {
    ended.value == nil ? pid : getpid()
  }

  private func kill(_ pid: Int32, _ signal: Int32) {
    if pid != getpid() { _ = Foundation.kill(pid, signal) }
  }

  /// How it ended, once it has and all its output is read.
  package func exit(within limit: Duration = .seconds(30)) async throws -> Exit {
    let exit = try await TestSupport.within(limit, "the end of settled (\(errors.text))") { [ended] in
      try await ended.get()
    }
    try? life.fileHandleForWriting.close()
    try await TestSupport.within(limit, "the end of its output") { [output, errors] in
      await output.end()
      await errors.end()
    }
    return exit
  }

  /// Waits for a line of its log that contains a text, also one that was already written.
  package func log(_ text: String, within limit: Duration = .seconds(30)) async throws {
    try await TestSupport.within(limit, "\"\(text)\" in the log (\(errors.text))") { [errors] in
      guard await errors.contains(text) else {
        throw TimeLimitError(description: "settled ended without \"\(text)\" in its log: \(errors.text)")
      }
    }
  }
}
