import Engine
import Postgres

/// Gives, renews and revokes tokens: what the module asks of the provider.
protocol TokenProvider: Sendable {
  /// Exchanges an authorization code. Throws `ProviderFailure`.
  func exchange(_ code: String, at now: Timestamp) async throws -> ProviderReply

  func refresh(_ token: String, at now: Timestamp) async throws -> ProviderReply

  func revoke(_ token: String, at now: Timestamp) async throws -> ProviderReply
}

/// The tokens of a reply.
struct TokenPair: Sendable, Equatable {
  enum Sex: String, Sendable, Codable {
    case male = "M"
    case female = "F"
  }

  let accessToken: String
  let refreshToken: String
  /// When the access token ends.
  let expiresAt: Timestamp
  /// The provider's own number of the athlete; nil where the answer has none.
  let athleteID: Int64?
  /// Nil where the answer has neither of the two.
  var sex: Sex?
}

/// A definite answer.
struct ProviderReply: Sendable {
  enum Outcome: Sendable, Equatable {
    case tokens(TokenPair)
    /// The code or the token is refused for good.
    case refused
    case revoked
  }

  let outcome: Outcome
  /// The limits, as the provider states them.
  let usage: [CallBudget.WindowUsage]
}

/// A call that gave no definite answer. Its text is ours: nothing that the provider sent is repeated.
struct ProviderFailure: Error, Sendable, CustomStringConvertible {
  /// The names stand in `strava status` and in the table strava.call_error.
  enum Class: String, Sendable, CaseIterable {
    /// No connection came about: nothing was sent.
    case unreachable
    /// The connection ended, or no answer came in time: the provider may have done what was asked.
    case lost
    /// An answer that cannot be read: too long, cut off, another type.
    case unreadable
    /// The provider reports an error on its side.
    case server
    /// The limit of calls is reached.
    case limit
    /// The client id or the client secret is refused.
    case client
    /// The provider refuses the request in another way.
    case refused
    /// The daemon ended while it waited.
    case interrupted
  }

  /// What the provider may refuse of our client.
  enum ClientKey: String, Sendable {
    case id = "strava_client_id"
    case secret = "the strava-client-secret credential"
    case status = "that the application is active at the provider"
    case either = "strava_client_id and the strava-client-secret credential"
  }

  private(set) var kind: Class
  /// What the provider refuses of a refused client.
  private var clientKey: ClientKey = .either
  var usage: [CallBudget.WindowUsage] = []
  /// The same of reads.
  var readUsage: [CallBudget.WindowUsage] = []

  init(_ kind: Class, usage: [CallBudget.WindowUsage] = [], ofReads: [CallBudget.WindowUsage] = []) {
    self.kind = kind
    self.usage = usage
    readUsage = ofReads
  }

  mutating func refuseClient(_ key: ClientKey) {
    kind = .client
    clientKey = key
  }

  /// Whether it is a failure of the provider, so that the breaker counts it. A refused request is a definite answer
  /// about one athlete.
  var isOfPeer: Bool { ![.limit, .interrupted, .refused].contains(kind) }

  /// Whether the provider may have done what was asked.
  var isUnknown: Bool { [.lost, .unreadable, .server, .interrupted].contains(kind) }

  var description: String {
    switch kind {
    case .unreachable: "the provider cannot be reached"
    case .lost: "the connection to the provider was lost, or no answer arrived in time"
    case .unreadable: "the provider's response cannot be read"
    case .server: "the provider has an internal error (HTTP 5xx)"
    case .limit: "the provider's call limit has been reached (HTTP 429)"
    case .client: "the provider rejected the client: check \(clientKey.rawValue)"
    case .refused: "the provider rejected the request (other HTTP 4xx)"
    case .interrupted: "the daemon stopped during a call to the provider"
    }
  }
}
