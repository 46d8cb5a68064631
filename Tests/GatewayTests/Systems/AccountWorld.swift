import Foundation
import Postgres
import TestSupport

@testable import Gateway

extension SystemWorld {
  static let password = "correct horse"

  /// An account whose password is `password`; its id.
  @discardableResult
  func account(
    _ email: String, username: String? = nil, athlete: Int64? = nil, reader: Int64? = nil, checkin: String? = nil
  ) async throws -> Int64 {
    let hash = try PasswordHash(
      of: Self.password, salt: [UInt8](repeating: 7, count: PasswordHash.saltBytes), cost: Self.passwordCost)
    return try await number(
      """
      INSERT INTO accounts.account (email, username, display_name, athlete_id, reader_id, checkin_id, password_hash,
        verified_at)
      VALUES (\(email), \(username), 'Ann', \(athlete), \(reader), \(checkin), \("\(hash)"), clock_timestamp()) RETURNING id
      """)
  }

  func logIn(_ name: String, _ password: String = password) async throws -> Reply {
    try await call("POST /auth/login", body: #"{"email":"\#(name)","password":"\#(password)"}"#)
  }
}

extension GatewayConfiguration {
  /// So that the limit of an address is not what refuses.
  mutating func allowManyAttempts() { limits.attemptsPerMinute = 100_000 }
}

/// A mail program as `sendmail` is one: a script that keeps what it is given, each mail in a file.
final class MailProgram: Sendable {
  private let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let script = """
      #!/bin/sh
      dir="${0%/*}"
      [ "$*" = "-t -i" ] || exit 64
      cat > "$dir/new.$$" && mv "$dir/new.$$" "$dir/mail.$$"
      """
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  var path: String { directory.path + "/sendmail" }

  var mails: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasPrefix("mail.") }
        .map { try String(contentsOfFile: "\(directory.path)/\($0)", encoding: .utf8) }
    }
  }

  /// The mails as soon as there are so many.
  func wait(for count: Int) async throws -> [String] {
    try await untilTrue("\(count) mails") { [self] in try mails.count >= count }
    return try mails
  }

  /// The text behind `token=` in a mail.
  static func token(in mail: String) -> String {
    mail.range(of: "/reset#token=").map { String(mail[$0.upperBound...].prefix(43)) } ?? ""
  }
}
