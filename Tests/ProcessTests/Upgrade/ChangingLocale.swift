import Foundation
import TestSupport

/// A locale whose order of text changes, as it does with a new release of the C library.
///
/// First it orders as English does, then by code points. `localedef` compiles both for a directory that a server reads
/// instead of the system's.
struct ChangingLocale: Sendable {
  static let name = "changing.utf8"

  private let directory: ScratchDirectory

  var environment: [String: String] { ["LOCPATH": "\(directory.path)/current"] }

  init() async throws {
    directory = try ScratchDirectory()
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    try await compile()
  }

  /// The server must be stopped: a running one keeps what it has read.
  func change() async throws {
    try await sh("cd \"$0\" && rm -r current/\(Self.name) && mv \(Self.name) current/")
  }

  private func compile() async throws {
    try await sh(
      """
      cd "$0" && mkdir current && cp -r /usr/lib/locale/C.utf8 current/
      sed -e '/^LC_COLLATE/,/^END LC_COLLATE/c LC_COLLATE\\ncodepoint_collation\\nEND LC_COLLATE' \
        /usr/share/i18n/locales/en_GB >code_points
      localedef -c -i en_GB -f UTF-8 ./current/\(Self.name) && localedef -c -i ./code_points -f UTF-8 ./\(Self.name)
      chmod -R a+rX .
      """)
  }

  private func sh(_ script: String) async throws {
    let made = try await SettledProcess(["-c", script, directory.path], program: "/bin/sh").finished()
    guard made.exit == .code(0) else { throw TimeLimitError(description: "no locale: \(made.errors)") }
  }
}
