/// Remembers turns that found due rows only in the hands of others.
///
/// `SKIP LOCKED` alone can starve: after three such turns the longest due row is waited for; where waiting fails too,
/// the next wait comes after ever more turns, so that free rows are not delayed behind a stuck one.
struct EmptyTurns {
  private var count = 0
  private var next = 3
  private var delayed: (key: String, since: Duration)?

  var shouldWait: Bool { count >= next }

  mutating func observe(items: Int) {
    if items > 0 {
      self = EmptyTurns()
    } else {
      if shouldWait { next = min(next * 2, 48) + count }
      count += 1
    }
  }

  /// Whether this item has been waited for in vain for a minute.
  mutating func isLongDelayed(_ key: String, now: Duration) -> Bool {
    if let delayed, delayed.key == key {
      return now - delayed.since >= .seconds(60)
    }
    delayed = (key, now)
    return false
  }
}
