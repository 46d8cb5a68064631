import Postgres

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
