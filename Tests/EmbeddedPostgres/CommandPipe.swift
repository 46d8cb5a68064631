internal import Dispatch
internal import Glibc
internal import SystemPackage

/// Our ends of the two pipes to the supervisor: commands out, answers back, one line each.
final class CommandPipe: Sendable {
  private let commands: FileDescriptor
  private let answers: FileDescriptor
  private let queue = DispatchQueue(label: "settled.embedded-postgres")

  init(commands: FileDescriptor, answers: FileDescriptor) {
    self.commands = commands
    self.answers = answers
  }

  deinit {
    try? commands.close()
    try? answers.close()
  }

  /// Both pipes, closed in every program that we or others start: their ends, and ours.
  static func make() throws -> (theirs: (input: FileDescriptor, output: FileDescriptor), ours: CommandPipe) {
    // A supervisor that was killed shows as an error of the write, not as the end of our process.
    signal(SIGPIPE, SIG_IGN)
    let (commandsOut, commandsIn) = try FileDescriptor.pipe()
    let (answersOut, answersIn) = try FileDescriptor.pipe()
    return ((commandsOut, answersIn), CommandPipe(commands: commandsIn, answers: answersOut))
  }

  /// Sends a command, if any, and returns the text after `ok`; throws `failed` with the text after `failed`.
  func ask(_ command: String?) async throws -> String {
    let answer = await withCheckedContinuation { continuation in
      queue.async { [self] in continuation.resume(returning: exchange(command)) }
    }
    guard let answer else { throw EmbeddedPostgresError(.stopped, "the cluster's supervisor has ended") }
    let parts = answer.split(separator: " ", maxSplits: 1).map(String.init)
    let text = parts.count > 1 ? parts[1] : ""
    guard parts.first == "ok" else { throw EmbeddedPostgresError(.failed, text) }
    return text
  }

  /// Sends a command that is answered only by the supervisor's end.
  func send(_ command: String) {
    queue.async { [self] in _ = write(command) }
  }

  private func exchange(_ command: String?) -> String? {
    if let command, !write(command) { return nil }
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = withUnsafeMutableBytes(of: &byte) { buffer in try? answers.read(into: buffer) }
      guard count == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  private func write(_ command: String) -> Bool {
    (try? commands.writeAll(Array("\(command)\n".utf8))) != nil
  }
}
