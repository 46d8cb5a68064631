package import Engine
import Postgres

/// The one line that `systemctl status` shows: what is due, what is next, what is wrong.
package enum StatusLine {
  package static func text(_ snapshot: NodeSnapshot) -> String {
    let items = snapshot.items.sorted { $0.key < $1.key }
    var parts: [String] = []
    if snapshot.isClockStopped { parts.append("HELD: a clock is wrong") }
    if snapshot.awaitsAcceptance { parts.append("STOPPED: the database was restored or copied") }
    if snapshot.isDraining { parts.append("draining") }

    let due = items.filter { $0.value.lateBy > .zero && !$0.value.isPaused }.map(\.key)
    if !due.isEmpty {
      parts.append("due: \(due.joined(separator: ", "))")
    } else if let next = items.compactMap(next).min(by: { $0.at < $1.at }) {
      parts.append("next: \(next.name) at \(next.at)")
    } else {
      parts.append("nothing is due")
    }
    let paused = items.filter(\.value.isPaused).map(\.key)
    if !paused.isEmpty { parts.append("paused: \(paused.joined(separator: ", "))") }
    let failing = items.reduce(0) { $0 + $1.value.failing }
    let quarantined = items.reduce(0) { $0 + $1.value.quarantined }
    if failing > 0 { parts.append("\(failing) failing") }
    if quarantined > 0 { parts.append("\(quarantined) quarantined") }
    return parts.joined(separator: "; ")
  }

  private static func next(_ name: String, _ item: NodeSnapshot.Item) -> (name: String, at: Timestamp)? {
    guard !item.isPaused, !item.awaitsAcceptance, let at = item.dueAt else { return nil }
    return (name, at)
  }
}
