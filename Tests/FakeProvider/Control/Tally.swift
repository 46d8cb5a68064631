/// The counts of what has happened so far.
struct Tally {
  /// From a refresh's head to the end of its answer, in moments.
  private struct Span {
    let athlete: Int64
    var ended = Int.max
  }

  var calls = 0
  var exchanges = 0
  /// Refreshes that gave tokens, the same or new ones.
  var refreshes = 0
  var rotations = 0
  var revocations = 0
  var refusedGrants = 0
  var limited = 0
  var deniedClients = 0
  var callsInSpentWindow = 0
  var faults: [String: Int] = [:]
  var undelivered: [ProviderResponse.Rotation] = []
  /// Reads with a good token, in their order.
  var reads: [ReadOf] = []
  /// Calls that wait for the end of their answers.
  var inHand = 0 {
    didSet { inHandMax = max(inHandMax, inHand) }
  }
  /// The most of them at once since the settings were changed.
  private(set) var inHandMax = 0
  private(set) var byStatus: [String: Int] = [:]
  private var spans: [Int: Span] = [:]

  mutating func beginInHandMax() { inHandMax = inHand }

  mutating func begin(_ athlete: Int64, _ ticket: Ticket) { spans[ticket.began] = Span(athlete: athlete) }

  mutating func end(_ ticket: Ticket, at moment: Int) { spans[ticket.began]?.ended = moment }

  /// Counts the status that a client can see.
  mutating func note(_ answer: ProviderResponse) {
    switch answer.delivery {
    case .whole, .cut, .endless: byStatus["\(answer.status)", default: 0] += 1
    case .never, .reset: break
    }
  }

  /// How many refreshes began while another of the same athlete was in hand.
  var parallel: Int {
    var lastEnds: [Int64: Int] = [:]
    var count = 0
    for (began, span) in spans.sorted(by: { $0.key < $1.key }) {
      let lastEnd = lastEnds[span.athlete] ?? 0
      if lastEnd > began { count += 1 }
      lastEnds[span.athlete] = max(lastEnd, span.ended)
    }
    return count
  }
}
