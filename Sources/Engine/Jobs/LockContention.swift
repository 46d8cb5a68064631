/// Remembers due items that batches left out, because others had locked them or a row that they need.
///
/// `SKIP LOCKED` alone can starve an item that is locked repeatedly. So after three batches one such item is waited
/// for; if the wait fails too, its next wait comes after more and more batches.
struct LockContention<Key: JobKey> {
  /// The most locked items that are remembered; more of them would delay batches.
  static var lockedMax: Int { 10_000 }

  private struct Item {
    let since: Duration
    var batches = 0
    var waits = 0
    var nextWait = 3
    /// It could be claimed, but not written: in a batch it would delay or fail all others.
    var isLockedByOthers = false
  }

  private var items: [Key: Item] = [:]

  var isEmpty: Bool { items.isEmpty }

  /// Items that batches leave out until they have been done alone.
  var lockedByOthers: [Key] { items.filter(\.value.isLockedByOthers).map(\.key) }

  /// The item to wait for now: of the items with the fewest waits, the longest due.
  func toWaitFor(in order: [Key]) -> Key? {
    let known = order.compactMap { key in items[key].map { (key: key, item: $0) } }
    let ready = known.filter { $0.item.batches >= $0.item.nextWait }
    return ready.min { $0.item.waits < $1.item.waits }?.key
  }

  /// Records the items still due after a batch, including every locked one; everything else is forgotten.
  mutating func observe(_ due: [Key], now: Duration) {
    var left: [Key: Item] = [:]
    for key in due {
      left[key] = items[key] ?? Item(since: now)
      left[key]?.batches += 1
    }
    items = left
  }

  /// False if the limit of remembered items is reached.
  mutating func noteLocked(_ key: Key, now: Duration) -> Bool {
    guard items[key] != nil || items.count < Self.lockedMax else { return false }
    items[key, default: Item(since: now)].isLockedByOthers = true
    return true
  }

  /// An item is done after a wait. Others may have waited for the same row, so they return to the batches.
  mutating func had(_ key: Key) {
    guard items.removeValue(forKey: key)?.isLockedByOthers == true else { return }
    for key in items.keys { items[key]?.isLockedByOthers = false }
  }

  /// Returns an item to the batches.
  mutating func release(_ key: Key) {
    items[key]?.isLockedByOthers = false
  }

  mutating func waitedInVain(_ key: Key) {
    guard var item = items[key] else { return }
    item.waits += 1
    item.nextWait = item.batches + min(3 << min(item.waits, 4), 48)
    items[key] = item
  }

  /// Whether the item has been left behind for a minute.
  func isLongDelayed(_ key: Key, now: Duration) -> Bool {
    items[key].map { now - $0.since >= .seconds(60) } ?? false
  }
}
