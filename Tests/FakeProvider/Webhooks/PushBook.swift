/// The application's subscription to webhooks: there is one at most.
struct PushBook {
  struct Subscription {
    let id: Int64
    let callback: String
    let verifyToken: String
  }

  /// The next one's number.
  private var next: Int64 = 120_475
  private(set) var present: Subscription?
  /// The challenge of the callback that is being validated.
  var challenge = ""

  mutating func add(_ callback: String, _ verifyToken: String) -> Int64 {
    let made = Subscription(id: next, callback: callback, verifyToken: verifyToken)
    next += 1
    present = made
    return made.id
  }

  mutating func remove(_ id: Int64) -> Bool {
    guard present?.id == id else { return false }
    present = nil
    return true
  }
}
