/// Why a schedule is refused.
package struct ScheduleError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: String, Sendable {
    /// The cron expression has a mistake at `position`.
    case cron
  }

  package let code: Code
  /// Where in the text, counted in characters from 1.
  package let position: Int
  package let reason: String

  package init(_ code: Code, position: Int, _ reason: String) {
    self.code = code
    self.position = position
    self.reason = reason
  }

  package var description: String { "\(reason) (at character \(position))" }
}
