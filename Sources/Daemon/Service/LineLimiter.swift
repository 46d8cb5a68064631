/// Lets one line of a kind through for each user and minute, and counts the others: pure.
///
/// Any caller of a socket may otherwise fill the journal until important entries are rotated away.
struct LineLimiter {
  struct Kind: Hashable {
    let text: String
    /// Nil: of no user in particular, or of more users than are remembered.
    let uid: UInt32?
  }

  struct LeftOut: Equatable {
    let kind: Kind
    let count: Int
  }

  private struct Window {
    let since: Duration
    var leftOut = 0
  }

  static let window: Duration = .seconds(60)
  /// The most users of all kinds that are counted separately.
  static let kindsMax = 256

  private var windows: [Kind: Window] = [:]
  private var oldest: Duration?

  /// Whether this line is written.
  mutating func admits(_ text: String, uid: UInt32?, now: Duration) -> Bool {
    var kind = Kind(text: text, uid: uid)
    if windows[kind] == nil, windows.count >= Self.kindsMax { kind = Kind(text: text, uid: nil) }
    if windows[kind] == nil {
      windows[kind] = Window(since: now)
      oldest = min(oldest ?? now, now)
      return true
    }
    windows[kind]?.leftOut += 1
    return false
  }

  /// Forgets the windows that are over; returns the lines that were left out in them.
  mutating func end(now: Duration) -> [LeftOut] {
    guard let oldest, now - oldest >= Self.window else { return [] }
    let over = windows.filter { now - $0.value.since >= Self.window }
    for kind in over.keys { windows[kind] = nil }
    self.oldest = windows.values.map(\.since).min()
    return over.filter { $0.value.leftOut > 0 }.map { LeftOut(kind: $0.key, count: $0.value.leftOut) }
      .sorted { ($0.kind.text, $0.kind.uid ?? .max) < ($1.kind.text, $1.kind.uid ?? .max) }
  }
}
