package import Engine
import Postgres

/// The one line that `systemctl status` shows: problems, due work and coming work.
package enum StatusLine {
  /// Characters of all problems together; `settlectl status` has the rest.
  private static let problemsMax = 300

  /// - Parameter problems: the names of those that `settlectl status` shows.
  package static func text(_ snapshot: NodeSnapshot, _ problems: [String]) -> String {
    let items = snapshot.items.sorted { $0.key < $1.key }
    var parts = problems.isEmpty ? [] : [degraded(problems)]
    let due = items.filter { $0.value.lateBy > .zero && !$0.value.isPaused }.map(\.key)
    if !due.isEmpty {
      parts.append("due: \(due.joined(separator: ", "))")
    } else if let next = items.compactMap(next).min(by: { $0.at < $1.at }) {
      parts.append("next: \(next.name) at \(next.at)")
    } else {
      parts.append("nothing is due")
    }
    return parts.joined(separator: "; ")
  }

  /// At least one problem, and as many as fit.
  package static func degraded(_ problems: [String]) -> String {
    var (shown, length) = ([Substring](), 0)
    for problem in problems where shown.isEmpty || length + problem.count <= problemsMax {
      shown.append(problem.prefix(problemsMax))
      length += problem.count
    }
    let left = problems.count - shown.count
    return "degraded: " + shown.joined(separator: "; ") + (left > 0 ? "; and \(left) more (settlectl status)" : "")
  }

  private static func next(_ name: String, _ item: NodeSnapshot.Item) -> (name: String, at: Timestamp)? {
    guard !item.isPaused, !item.awaitsAcceptance, let at = item.dueAt else { return nil }
    return (name, at)
  }
}
