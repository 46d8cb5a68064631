/// How the program ends; systemd and scripts tell by it what to do (ControlServer.docc/ExitCodes.md).
package enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  /// A rule refuses, or a check found differences.
  case refused = 1
  /// The database is newer than this program.
  case newerSchema = 57
  case usage = 64
  case unavailable = 69
  case bug = 70
  case tryLater = 75
  case denied = 77
  case configuration = 78
}

/// An end of the program with a line for the person who started it.
package struct Exit: Error, Sendable, CustomStringConvertible {
  package let code: ExitCode
  package let description: String

  package init(_ code: ExitCode, _ description: String) {
    self.code = code
    self.description = description
  }
}
