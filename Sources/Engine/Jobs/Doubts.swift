import Postgres

/// Items whose failure may be theirs or the server's: the outcome of the others decides.
///
/// They are left out of the batches of their run. Where another item succeeds, their failures are their own. Where none
/// does, the server fails, and the job pauses. The next run tries the others before them. So an item that fails every
/// time never keeps the others waiting, and a server that fails every item quarantines none.
struct Doubts<Key: JobKey>: Sendable {
  struct Doubt: Sendable {
    let key: Key
    let error: any Error
    let fate: ItemFate
  }

  /// After so many without a success the run ends.
  static var countMax: Int { 8 }
  /// The same of time-outs, because each of them takes long.
  static var timeoutsMax: Int { 2 }
  /// So many batches come before postponed items at most.
  static var releasedAfter: Int { 16 }
  /// So many are remembered for the next run at most.
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

  /// So many failed and none succeeded that further attempts would show nothing new.
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

  /// Has this run leave an item out that is not ready, and the next run try it after all others.
  mutating func leave(_ key: Key) { unready.insert(key) }

  /// Notes that a batch succeeded. After many of them the postponed items take part again: new items may never end.
  mutating func noteSuccess() {
    successes += 1
    passed += postponed.isEmpty ? 0 : 1
    if passed >= Self.releasedAfter { _ = release() }
  }

  /// Has the next run try this item after all others.
  mutating func postpone(_ key: Key) {
    if postponed.count < Self.postponedMax { postponed.insert(key) }
  }

  /// Lets those that were postponed take part in batches again; false where there are none.
  mutating func release() -> Bool {
    defer { (postponed, passed) = ([], 0) }
    return !postponed.isEmpty
  }

  /// Ends a run: the items whose failures are their own, or the error that pauses the job.
  mutating func end() -> (own: [Doubt], ofServer: (any Error)?) {
    defer { (doubts, unready) = ([], []) }
    for key in unready { postpone(key) }
    guard successes == 0, let first = doubts.first else { return (doubts, nil) }
    for doubt in doubts { postpone(doubt.key) }
    return ([], first.error)
  }
}
