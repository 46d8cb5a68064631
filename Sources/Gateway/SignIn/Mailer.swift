import Logging
import Subprocess
import Synchronization
import SystemPackage

/// A mail in plain text.
struct Mail: Sendable, Equatable {
  let recipient: String
  let subject: String
  let text: String

  static func reset(to recipient: String, link: String) -> Mail {
    Mail(
      recipient: recipient, subject: "Set a new password",
      text: """
        Someone requested a new password for this address. Use this link to set one. \
        It works once and expires after 30 minutes:

        \(link)

        If this was not you, you can ignore this email.
        """)
  }

  /// As a local mail program takes it with `-t -i`: headers, an empty line, the text.
  var message: String {
    // Addresses are ASCII without controls; a line feed would begin a header of the sender's choice.
    precondition(
      recipient.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "an address must not contain control characters")
    return """
      To: \(recipient)
      Subject: \(subject)
      Content-Type: text/plain; charset=utf-8
      Auto-Submitted: auto-generated

      \(text)

      """
  }
}

/// Makes mails and hands them to a local mail program, one at a time, so that no answer waits for it.
///
/// How it fails: where a mail cannot be made, and where the program fails or takes longer than `limit`, the mail is
/// dropped and logged, without the address. Beyond `waitingMax` mails none is taken.
final class Mailer: Sendable {
  static let waitingMax = 100
  static let limit: Duration = .seconds(30)

  /// Our own environment may hold the database's password.
  private static let environment = Environment.custom(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])

  /// Nil: there is nothing to send.
  typealias Draft = @Sendable () async throws(GatewayError) -> Mail?

  private let drafts: AsyncStream<Draft>.Continuation
  private let worker: Task<Void, Never>
  private let logger: Logger

  init(program: String, logger: Logger, sleep: @escaping @Sendable (Duration) async throws -> Void) {
    let (stream, drafts) = AsyncStream.makeStream(of: Draft.self, bufferingPolicy: .bufferingOldest(Self.waitingMax))
    self.drafts = drafts
    self.logger = logger
    worker = Task {
      for await draft in stream {
        if let problem = await Self.send(draft, to: program, sleep) {
          logger.error("an email was not sent", metadata: ["problem": "\(problem)"])
        }
      }
    }
  }

  deinit { drafts.finish() }

  /// False where too many wait.
  func send(_ draft: @escaping Draft) -> Bool {
    if case .enqueued = drafts.yield(draft) { return true }
    logger.error("an email was not sent", metadata: ["problem": "too many emails are waiting for the mail program"])
    return false
  }

  /// Nil where all went well.
  private static func send(
    _ draft: Draft, to program: String, _ sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async -> String? {
    do throws(GatewayError) {
      guard let mail = try await draft() else { return nil }
      return await hand(mail, to: program, sleep)
    } catch {
      return "its link could not be created: \(error.hidden ?? error.rule)"
    }
  }

  /// Nil where the program took it.
  private static func hand(
    _ mail: Mail, to program: String, _ sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async -> String? {
    await withTaskGroup(of: String?.self) { group in
      group.addTask {
        do {
          let input = try pipe(holding: mail.message)
          defer { try? input.close() }
          let result = try await run(
            .path(FilePath(program)), arguments: ["-t", "-i"], environment: environment,
            input: .fileDescriptor(input, closeAfterSpawningProcess: false), output: .discarded, error: .discarded)
          return result.terminationStatus.isSuccess
            ? nil : "the mail program exited with status \(result.terminationStatus)"
        } catch {
          return "the mail program cannot be run: \(error)"
        }
      }
      group.addTask {
        try? await sleep(Self.limit)
        return "the mail program took longer than \(Self.limit)"
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  /// The end of a pipe from which a mail is read.
  ///
  /// All of it is in the pipe before the program runs: a program that ends without reading breaks no pipe, because a
  /// write that fails would end this process (`Subprocess` traps on an input that it could not write).
  private static func pipe(holding text: String) throws -> FileDescriptor {
    let bytes = Array(text.utf8)
    guard bytes.count <= pipeBytesMax else { throw Errno.messageTooLong }
    let (readEnd, writeEnd) = try FileDescriptor.pipe()
    do {
      try writeEnd.closeAfter { _ = try writeEnd.writeAll(bytes) }
    } catch {
      try? readEnd.close()
      throw error
    }
    return readEnd
  }

  /// Every pipe of Linux holds so much (PIPE_BUF); a mail is an address, a link and a few lines.
  private static let pipeBytesMax = 4096
}
