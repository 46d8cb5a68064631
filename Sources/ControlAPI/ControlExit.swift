/// How settlectl ends: the one table of exit codes (ControlServer.docc/ExitCodes.md).
package enum ControlExit: Int32, Sendable, CaseIterable {
  case success = 0
  /// A check found differences, or a rule or a state forbids it.
  case refused = 1
  /// The database is newer than the daemon.
  case newerSchema = 57
  case usage = 64
  /// No daemon answers.
  case unreachable = 69
  /// A bug: please report it.
  case bug = 70
  case tryLater = 75
  case denied = 77
  case configuration = 78

  /// The meaning of a status of the control socket for a program.
  ///
  /// 404 for an unknown path means that the daemon is older than the client; its rule is `path`.
  package init(status: Int, rule: String) {
    self =
      switch (status, rule) {
      case (200..<300, _): .success
      case (404, Problem.Rule.path), (405, _): .usage
      case (404, _), (409, _): .refused
      case (401, _), (403, _): .denied
      case (422, _): .configuration
      case (400..<500, _): .usage
      case (503, _): .tryLater
      default: .bug
      }
  }
}
