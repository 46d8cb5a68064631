package import Postgres

/// A node's record of its database, in a file of its state directory: one line of words.
package struct KeptHistory: Sendable, Equatable {
  /// `settled.installation.id`: a record of another database does not apply to this one.
  package var installation: String
  package var node: String
  package var beats: Int64
  package var timeline: Int64
  /// The database's time when this was remembered, in microseconds.
  package var at: Int64
  /// The newest of each mark, by name.
  package var marks: [String: String]

  package init(
    installation: String, node: String, beats: Int64, timeline: Int64, at: Timestamp, marks: [String: String]
  ) {
    self.installation = installation
    self.node = node
    self.beats = beats
    self.timeline = timeline
    self.at = at.microseconds
    self.marks = marks
  }

  package var line: String {
    let pairs = marks.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return ([installation, String(beats), String(timeline), String(at)] + pairs + ["node=\(node)"])
      .joined(separator: " ")
  }

  /// Nil if `line` did not make it. A node's name may contain spaces, so it comes last.
  package init?(line: String) {
    let sides = line.split(separator: " node=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }
    let words = sides[0].split(separator: " ").map(String.init)
    guard words.count >= 4, let beats = Int64(words[1]), let timeline = Int64(words[2]), let at = Int64(words[3])
    else { return nil }
    installation = words[0]
    node = String(sides[1])
    (self.beats, self.timeline, self.at) = (beats, timeline, at)
    marks = [:]
    for word in words.dropFirst(4) {
      let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2 else { return nil }
      marks[String(pair[0])] = String(pair[1])
    }
  }
}

/// Where a node's memory is kept; by default nowhere.
package struct HistoryStorage: Sendable {
  /// The line that was written last; nil if there is none. Read once, at the start.
  package let read: @Sendable () -> String?
  /// Called in order. A durable line survives a power failure; the newest of the others may be written a second later.
  package let write: @Sendable (_ line: String, _ isDurable: Bool) -> Void

  package init(
    read: @escaping @Sendable () -> String?, write: @escaping @Sendable (_ line: String, _ isDurable: Bool) -> Void
  ) {
    self.read = read
    self.write = write
  }
}
