package import Postgres

/// How many items the next batch takes: 1, 8, 64, ... while batches stay quick.
///
/// The first result is soon visible, many items at one instant are cheap, and no transaction waits long for a batch's
/// locks.
package struct BatchSize: Sendable, Equatable {
  package private(set) var items: Int
  let largest: Int
  let target: Duration?

  /// - Parameter target: nil: each batch may have the largest size.
  init(largest: Int, target: Duration? = .milliseconds(100)) {
    precondition(largest >= 1 && target ?? .seconds(1) > .zero, "a batch must have at least one item")
    items = target == nil ? largest : 1
    self.largest = largest
    self.target = target
  }

  /// Adapts to a batch of `count` items whose locks were held for `elapsed`.
  ///
  /// A batch within the target never makes the next one smaller, and always lets it grow by one: where the fixed cost
  /// of a batch outweighs its items, only larger batches keep up.
  package mutating func observe(count: Int, elapsed: Duration) {
    guard let target else { return }
    let fitting = Int(max(1, (Double(count) * (target / max(elapsed, .microseconds(1)))).rounded(.down).clamped))
    if elapsed <= target {
      items = max(items, min(items * 8, max(fitting, count + 1), largest))
    } else {
      items = min(items, fitting)
    }
  }
}

extension Double {
  fileprivate var clamped: Double { Swift.min(self, 1_000_000) }
}

/// Decides when a run may claim in several lanes: while batches are full and nothing fails.
///
/// Source: Engine.docc/Failures.md, "Lanes".
struct Lanes: Sendable {
  /// Fewer items do not pay for another session.
  static let leastBatch = 8

  private(set) var areOpen = false
  private(set) var isClosed = false
  /// Whether the next run claims alone too: it meets the item that failed in a lane.
  private var isNextClosed = false

  mutating func begin() { (areOpen, isClosed, isNextClosed) = (false, isNextClosed, false) }

  /// A batch has ended. `isFull`: it found all items that it may take.
  mutating func observe(isFull: Bool, count: Int) { areOpen = !isClosed && isFull && count >= Self.leastBatch }

  /// Something failed in this run.
  mutating func close() { (areOpen, isClosed) = (false, true) }

  /// A batch failed in another lane.
  mutating func fail() {
    close()
    isNextClosed = true
  }
}

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

/// Items that failed because of themselves or of the server: the outcome of other items decides.
///
/// They are left out of the batches of their run. If another item succeeds, they caused their own failures. If none
/// does, the server is at fault, and the job pauses. The next run tries the other items first. So an item that always
/// fails never delays the others, and a server that fails every item quarantines none.
struct Doubts<Key: JobKey>: Sendable {
  struct Doubt: Sendable {
    let key: Key
    let error: any Error
    let fate: ItemFate
  }

  /// After this many failures without a success the run ends.
  static var countMax: Int { 8 }
  /// The same for time-outs, because each of them takes long.
  static var timeoutsMax: Int { 2 }
  /// The most batches before postponed items.
  static var releasedAfter: Int { 16 }
  /// The most items that are remembered for the next run.
  static var postponedMax: Int { 10_000 }

  private var doubts: [Doubt] = []
  /// Items that were not ready in this run.
  private var unready: Set<Key> = []
  private var postponed: Set<Key> = []
  private var successes = 0
  /// How many batches succeeded since items were postponed.
  private var passed = 0

  /// Items that batches leave out.
  var leftOut: [Key] { doubts.map(\.key) + unready + postponed }

  /// Whether so many failed and none succeeded that further attempts would show nothing new.
  var areEnough: Bool {
    let timeouts = doubts.count(where: { Verdict(of: $0.error) == .timeout })
    return successes == 0 && (doubts.count >= Self.countMax || timeouts >= Self.timeoutsMax)
  }

  mutating func begin() {
    successes = 0
  }

  mutating func note(_ key: Key, _ error: any Error, _ fate: ItemFate) {
    doubts.append(Doubt(key: key, error: error, fate: fate))
  }

  /// Makes this run leave out an item that is not ready, and the next run try it after all others.
  mutating func leave(_ key: Key) { unready.insert(key) }

  /// Notes that a batch succeeded. After many of them the postponed items take part again: new items may never end.
  mutating func noteSuccess() {
    successes += 1
    passed += postponed.isEmpty ? 0 : 1
    if passed >= Self.releasedAfter { _ = release() }
  }

  /// Makes the next run try this item after all others.
  mutating func postpone(_ key: Key) {
    if postponed.count < Self.postponedMax { postponed.insert(key) }
  }

  /// Returns the postponed items to the batches; false if there are none.
  mutating func release() -> Bool {
    defer { (postponed, passed) = ([], 0) }
    return !postponed.isEmpty
  }

  /// Ends a run: the items that caused their own failures, or the error that pauses the job.
  mutating func end() -> (own: [Doubt], ofServer: (any Error)?) {
    defer { (doubts, unready) = ([], []) }
    for key in unready { postpone(key) }
    guard successes == 0, let first = doubts.first else { return (doubts, nil) }
    for doubt in doubts { postpone(doubt.key) }
    return ([], first.error)
  }
}

/// The outcome for an item that failed alone, without another item in its transaction.
///
/// Source: Engine.docc/Failures.md, "What each verdict does".
package enum ItemFate: String, Sendable {
  /// A failed attempt is counted; at the fifth the item is quarantined.
  case counts
  /// No attempt is counted: it is retried alone, and batches leave it out until then.
  case waits
  /// An attempt is counted if other items succeed. Otherwise the server is at fault, and the job pauses.
  case doubtful
  /// The same, but no attempt is counted: if other items succeed, it waits.
  case spared
  /// The run ends, because every other item would fail in the same way.
  case stops

  package init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .item: .counts
      case .contention: .waits
      case .timeout, .installation: .doubtful
      case .resource: .spared
      case .connection, .caller: .stops
      }
  }

  package init(of error: any Error) {
    self.init(Verdict(of: error))
  }
}
