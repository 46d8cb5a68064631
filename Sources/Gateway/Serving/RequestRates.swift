import HTTPServing

/// How often who may ask what: by identity, and by address where nobody has one yet.
struct RequestRates: Sendable {
  private let limits: RateLimits

  init(_ limits: GatewayLimits) {
    let rates: [Limit: Rate?] = [
      .writes: Rate(limits.writesPerSecond, per: .seconds(1), burst: limits.writesBurst),
      .payments: Rate(limits.paymentsPerSecond, per: .seconds(1)),
      .flags: Rate(limits.flagsPerMinute, per: .seconds(60)),
      .signIn: Rate(limits.attemptsPerMinute, per: .seconds(60)),
    ]
    self.limits = RateLimits(rates.compactMapValues { $0 })
  }

  /// Nil: go ahead; else the seconds to wait. A flag is a write, too.
  func secondsToWait(_ route: Route, _ caller: Caller?, _ address: IPAddress?, at now: Duration) -> Int? {
    guard let limit = route.limit else { return nil }
    let origin = address?.limitKey ?? "local"
    let identity = caller?.identity ?? "address \(origin)"
    let writes = caller?.roles.contains(.payments) == true ? Limit.payments : .writes
    switch limit {
    case .signIn: return limits.secondsToWait(.signIn, of: origin, at: now)
    case .flags:
      return limits.secondsToWait(.flags, of: identity, at: now)
        ?? limits.secondsToWait(writes, of: identity, at: now)
    case .writes, .payments: return limits.secondsToWait(writes, of: identity, at: now)
    }
  }
}

extension TrustedProxies.Peer {
  init(_ client: Client) {
    switch client {
    case .peer: self = .unix
    case .address(let text): self = .address(IPAddress(text) ?? IPAddress(bits: 0))
    }
  }
}
