/// The application that may ask for tokens.
struct OAuthClient {
  let id: String
  let secret: String
}

/// Everything the provider knows, and what it does about a call.
struct World {
  let client: OAuthClient
  var clock = FakeClock()
  var settings = Settings()
  var grants = Grants()
  var activities = ActivityBook()
  var subscriptions = PushBook()
  var limits = ProviderRateLimits()
  var tally = Tally()
  /// Beginnings and ends of calls so far.
  private var moments = 0
  /// Calls since the seed was given.
  var callsOfSeed: UInt64 = 0

  init(client: OAuthClient) {
    self.client = client
  }

  /// Takes a call in; nil when nobody is there.
  mutating func ticket(isRead: Bool) -> Ticket? {
    if settings.isAway { return nil }
    moments += 1
    callsOfSeed += 1
    tally.calls += 1
    let fault = Fault.of(call: callsOfSeed, seed: settings.seed, settings.faults)
    if let fault { tally.faults[fault.rawValue, default: 0] += 1 }
    limits.rotate(clock.now)
    if limits.isKnownToBeSpent(isRead: isRead) { tally.callsInSpentWindow += 1 }
    if fault != .resetBefore { limits.count(isRead: isRead) }
    return Ticket(
      began: moments, fault: fault, isRead: isRead, isOverLimit: limits.isOver(settings, isRead: isRead))
  }

  mutating func answer(_ call: ProviderCall, _ ticket: Ticket) -> ProviderResponse {
    if let token = call.refreshToken, let athlete = grants.owner(ofRefreshToken: token) {
      tally.begin(athlete, ticket)
    }
    tally.inHand += 1
    let whole = answerUndamaged(call, ticket)
    var answer = whole
    answer.delayMs = settings.delayMs + (ticket.fault == .slow ? settings.slowMs : 0)
    if let fault = ticket.fault { answer = answer.damaged(by: fault) }
    if settings.echoes, answer.status >= 400 || answer.body != whole.body {
      answer = answer.repeating([call.authorization, call.text, whole.body])
    }
    tally.note(answer)
    return answer
  }

  /// An answer is written, or given up.
  mutating func finished(_ answer: ProviderResponse, _ ticket: Ticket, wasWritten: Bool) {
    moments += 1
    tally.inHand -= 1
    tally.end(ticket, at: moments)
    if wasWritten { limits.note(answer.notices) }
    if let rotation = answer.rotation, !wasWritten || !answer.isIntact { tally.undelivered.append(rotation) }
  }

  private mutating func answerUndamaged(_ call: ProviderCall, _ ticket: Ticket) -> ProviderResponse {
    switch ticket.fault {
    case .hang, .resetBefore:
      var nothing = ProviderResponse.done
      nothing.delivery = ticket.fault == .hang ? .never : .reset
      return nothing
    case .status500: return ProviderResponse(500, body: "{\"message\":\"Internal Server Error\"}")
    default: break
    }
    if settings.tooMany || ticket.isOverLimit { tally.limited += 1 }
    if settings.tooMany {
      return limits.refusedWithoutHeaders(isRead: ticket.isRead)
    }
    let answer = ticket.isOverLimit ? .limited : settings.deniesClient || settings.knowsNoClient ? denied() : work(call)
    return limits.labelled(answer, settings, isRead: ticket.isRead)
  }

  private mutating func work(_ call: ProviderCall) -> ProviderResponse {
    switch (call.method, call.path) {
    case ("POST", "/oauth/token"): token(call)
    case ("POST", "/oauth/revoke"): revoke(call)
    case (_, let path) where path.hasPrefix(Self.pushPath): pushes(call)
    case ("GET", let path) where path.hasPrefix("/api/v3/"): read(call)
    default: .notFound
    }
  }

  mutating func denied() -> ProviderResponse {
    tally.deniedClients += 1
    return settings.knowsNoClient ? .unknownClient : .deniedClient
  }
}
