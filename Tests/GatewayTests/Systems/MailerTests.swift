import Foundation
import Glibc
import Logging
import TestSupport
import Testing

@testable import Gateway

@Suite("The mail program") struct MailerTests {
  @Test func `a mail program that hangs is ended at its limit, and the next mail is sent`() async throws {
    let directory = try ScratchDirectory()
    let (program, log) = (directory.path + "/sendmail", MemoryLog())
    // The first run hangs and heeds no SIGTERM; each later one keeps its mail.
    let script = """
      #!/bin/sh
      dir="${0%/*}"
      if [ ! -e "$dir/pid" ]; then trap '' TERM INT; echo $$ >"$dir/part" && mv "$dir/part" "$dir/pid"; exec sleep 1000; fi
      cat >"$dir/part" && mv "$dir/part" "$dir/mail"
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: program))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    let pidFile = directory.path + "/pid"
    let mailer = Mailer(program: program, logger: Logger(label: "test") { _ in log }) { limit in
      // The limit is over as soon as the first program hangs, and never for the second.
      #expect(limit == .seconds(30))
      try await untilTrue("a program that hangs") { FileManager.default.fileExists(atPath: pidFile) }
      guard !log.lines.isEmpty else { return }
      // Nothing comes until the task is cancelled.
      for await _ in AsyncStream<Void>.makeStream().stream {}
    }
    for name in ["first", "second"] {
      #expect(mailer.send { Mail(recipient: "\(name)@example.com", subject: "x", text: "y") })
    }
    try await untilTrue("the second mail") { FileManager.default.fileExists(atPath: directory.path + "/mail") }
    #expect(try String(contentsOfFile: directory.path + "/mail", encoding: .utf8).hasPrefix("To: second@example.com\n"))
    #expect(log.lines == ["error: an email was not sent problem=the mail program took longer than 30.0 seconds"])
    let pid = try #require(
      Int32(try String(contentsOfFile: pidFile, encoding: .utf8).trimmingCharacters(in: .newlines)))
    #expect(kill(pid, 0) == -1 && errno == ESRCH, "the program that hung still runs")
  }
}
