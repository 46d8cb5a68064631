/// How soon a notification makes the node poll again: the first at once, the following ones together.
///
/// Any role that may connect can notify, thousands of times a second. Between two such polls lie 20 ms. A
/// pause in which many came, and after which nothing was found due, is doubled up to 250 ms. Work that falls due by
/// itself is not concerned: the loop wakes for it as ever.
struct Pace {
  static let first: Duration = .milliseconds(20)
  static let longest: Duration = .milliseconds(250)
  /// More than this in one pause are a flood.
  static let ordinaryMax = 8

  private var pause = Pace.first
  private var lastPoll: Duration?
  private var count = 0
  private var isWaiting = false
  private var wasUseful = false

  /// Notifications came: zero to poll now, or the time after which to poll; nil where a poll is to come anyway.
  mutating func notified(_ new: Int = 1, now: Duration) -> Duration? {
    count += new
    guard !isWaiting else { return nil }
    let rest = lastPoll.map { $0 + pause - now } ?? .zero
    guard rest > .zero else {
      // A pause went by without one.
      if let lastPoll, now - lastPoll > pause * 2 { pause = Self.first }
      begin(now)
      return .zero
    }
    isWaiting = true
    return rest
  }

  /// The time of a poll that was put off has come.
  mutating func waited(now: Duration) {
    pause = count > Self.ordinaryMax && !wasUseful ? min(Self.longest, pause * 2) : Self.first
    begin(now)
  }

  /// A poll found something to do.
  mutating func found() { wasUseful = true }

  private mutating func begin(_ now: Duration) {
    lastPoll = now
    count = 0
    isWaiting = false
    wasUseful = false
  }
}
