/// How the provider is to behave; what is nil stays as it is.
package struct ProviderSettings: Encodable, Sendable {
  /// Calls of 15 minutes and of a day of UTC.
  package struct Limits: Codable, Sendable {
    package let limit15: Int
    package let limitDay: Int

    package init(_ limit15: Int, _ limitDay: Int) {
      self.limit15 = limit15
      self.limitDay = limitDay
    }
  }

  /// A fault of one call; work that it names is done before it goes wrong.
  package enum Fault: String, CaseIterable, Sendable, CodingKeyRepresentable, Encodable {
    case slow
    case hang, resetBefore, status500
    /// Done.
    case resetAfter, truncate, wrongType, garbage, status503After, tooLarge
  }

  package var limits: Limits?
  package var readLimits: Limits?
  package var sendsHeaders: Bool?
  /// Whether a new access token comes with a new refresh token.
  package var rotates: Bool?
  /// The delay of every answer, and the further one of a slow answer.
  package var delayMs: Int?
  package var slowMs: Int?
  /// Their probabilities; they take the place of all former ones.
  package var faults: [Fault: Double]?
  /// A given seed restarts the numbering of calls, by which faults are drawn.
  package var seed: UInt64?
  /// Connections close as soon as a call's head is there.
  package var away: Bool?
  /// Everybody gets 401, or 429 without headers.
  package var deniesClient: Bool?
  /// Everybody gets 400 for an unknown client id.
  package var knowsNoClient: Bool?
  /// Each exchange gets 403; each code is refused when it is used the first time, and good afterwards.
  package var forbidsCodes: Bool?
  package var isLateWithCodes: Bool?
  package var tooMany: Bool?
  /// Errors and unreadable answers repeat what was sent, and what would have been answered.
  package var echoes: Bool?

  package init(
    limits: Limits? = nil, readLimits: Limits? = nil, sendsHeaders: Bool? = nil, rotates: Bool? = nil,
    delayMs: Int? = nil, slowMs: Int? = nil, faults: [Fault: Double]? = nil, seed: UInt64? = nil, away: Bool? = nil,
    deniesClient: Bool? = nil, knowsNoClient: Bool? = nil, forbidsCodes: Bool? = nil, isLateWithCodes: Bool? = nil,
    tooMany: Bool? = nil, echoes: Bool? = nil
  ) {
    (self.limits, self.readLimits, self.sendsHeaders, self.rotates) = (limits, readLimits, sendsHeaders, rotates)
    (self.delayMs, self.slowMs, self.faults, self.seed) = (delayMs, slowMs, faults, seed)
    (self.away, self.deniesClient, self.tooMany, self.echoes) = (away, deniesClient, tooMany, echoes)
    (self.knowsNoClient, self.forbidsCodes, self.isLateWithCodes) = (knowsNoClient, forbidsCodes, isLateWithCodes)
  }
}

/// The calls that the provider has seen.
package struct ProviderReport: Decodable, Sendable {
  package struct Undelivered: Decodable, Sendable, Hashable {
    package let athlete: Int64
    package let at: Int64
  }

  package struct Windows: Decodable, Sendable {
    package let used15, usedDay, limit15, limitDay: Int
  }

  package struct Athlete: Decodable, Sendable {
    package let alive: Bool
    package let expiresAt: Int64
  }

  /// Calls that it took in, and those among them that were refused or went wrong on purpose.
  package let calls, limited, deniedClients, refusedGrants: Int
  package let faults: [String: Int]
  package let byStatus: [String: Int]
  package let exchanges, refreshes, rotations, revocations: Int
  /// Refreshes that began while another of the same athlete was in hand.
  package let parallel: Int
  /// The most calls in hand at once since the settings were changed.
  package let inHandMax: Int
  /// Calls in a window that an earlier answer had told to be spent.
  package let callsInSpentWindow: Int
  /// Rotations whose answer nobody can have read.
  package let undelivered: [Undelivered]
  package let windows: Windows
  package let athletes: [String: Athlete]
}

/// An athlete's last grant.
package struct ProviderTokens: Decodable, Sendable, Equatable {
  package let accessToken, refreshToken: String
  package let expiresAt: Int64
  package let alive: Bool
}

/// A read that the provider answered: with whose token, and of what.
package struct ProviderReadOf: Decodable, Sendable, Equatable {
  package let athlete: Int64
  /// Such as `/api/v3/activities/7`, without its query.
  package let path: String
}

/// The answer of a callback to the provider.
package struct ProviderCallback: Decodable, Sendable, Equatable {
  package let status: Int
  package let body: String
}

/// The provider's subscription to webhooks, with its secrets.
package struct ProviderSubscription: Decodable, Sendable, Equatable {
  package let id: Int64
  package let callbackUrl: String
  package let verifyToken: String
}
