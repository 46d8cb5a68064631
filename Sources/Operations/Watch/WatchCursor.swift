/// A watcher's position: the process that answers it, its place there, and the next happening's number.
struct WatchCursor: Equatable {
  let run: String
  let watcher: Int
  let next: Int

  var text: String { "\(run).\(watcher).\(next)" }

  init(run: String, watcher: Int, next: Int) {
    self.run = run
    self.watcher = watcher
    self.next = next
  }

  /// Throws the usage error if no answer had that cursor.
  init(_ text: String) throws(CommandError) {
    let pieces = text.split(separator: ".", omittingEmptySubsequences: false)
    guard pieces.count == 3, !pieces[0].isEmpty, pieces[0].count <= 20, let watcher = Int(pieces[1]), watcher > 0,
      let next = Int(pieces[2]), next >= 0
    else { throw CommandError(.usage, rule: "after", "after must be the cursor from an earlier response") }
    self.init(run: String(pieces[0]), watcher: watcher, next: next)
  }
}
