import Engine
import Postgres

/// Calls the provider: exchanges codes, refreshes tokens before they end, and revokes
/// those of athletes who have disconnected.
///
/// One call for an athlete at a time, over all nodes. The provider kills a refresh token the moment it answers: so the
/// reply is on disk before anything else happens (`Spool`). Source: Strava.docc/LostReplies.md.
struct TokenRefreshJob: LeasedJob {
  static let jobName = "token-refresh"

  enum Purpose: Sendable {
    case exchange, refresh, revoke
  }

  struct Input: Sendable {
    let athlete: Int64
    let purpose: Purpose
    /// How often the provider has given tokens.
    let generation: Int64
    /// That of a code; nil for others.
    let attempt: Int64?
    /// The code or the refresh token.
    let secret: String
    /// The key that is to seal what comes.
    let sealingKey: String
    /// Business time of the claim.
    let at: Timestamp
  }

  struct Reply: Sendable {
    enum Outcome: Sendable {
      case tokens(SpooledTokens)
      case refused, revoked
    }

    let outcome: Outcome
    let usage: [CallBudget.WindowUsage]
  }

  let name = jobName
  let limits = LeaseLimits(callsMax: 8, call: .seconds(10), lease: .seconds(30))
  let budget: CallBudget? = ProviderLimits.tokens
  /// A token expires, regardless of the clocks.
  let ignoresClockStop = true
  let stopsAfterRestore = true
  /// An athlete is never given up: only the provider declares a token dead.
  let retries: RetryPolicy = {
    var retries = RetryPolicy()
    retries.backoff = Backoff(first: .seconds(2), factor: 3, longest: .seconds(300))
    retries.attemptsMax = 1_000_000
    return retries
  }()

  let provider: any TokenProvider
  let sealer: Sealer
  let spool: Spool
  let breaker: Breaker

  /// Tokens of athletes who race come first, then those that end first. Codes come before all, because somebody waits
  /// for them, until their share of the budget is spent: then they come last. Codes of athletes without a refused one
  /// come before the others.
  ///
  /// While the breaker is open, a refresh comes before a code: a bad code is no evidence about the provider.
  ///
  /// More may be due than a claim reads of each part. Those of athletes who race, and those whose time to refresh is
  /// over, are parts of their own: a token that is about to end is never hidden by others.
  ///
  /// The key of a code is read by a subquery that is no join, so that connections are read along their index,
  /// regardless of the statistics.
  ///
  /// Where our clock is ahead of the provider's, tokens are still due after they came: they
  /// are asked for again after 15 minutes.
  let source: DueSource = {
    let now = "(SELECT settled.clock())"
    let isRacing = """
      t.is_in_races AND EXISTS (SELECT FROM strava.race_period AS p
        WHERE p.athlete_id = t.athlete_id AND p.ends_at > \(now) AND p.starts_at <= \(now))
      """
    let isActive = """
      t.status = 'active' AND (t.refreshed_at IS NULL OR t.next_call_at > \(now)
        OR \(now) < t.refreshed_at OR \(now) >= t.refreshed_at + interval '15 minutes')
      """
    let isSealed = """
      t.status = 'connecting' AND (SELECT s.key_id FROM strava.secret AS s
        WHERE s.kind = 'code' AND s.athlete_id = t.athlete_id) IS NOT NULL
      """
    return DueSource(
      "strava.connection", key: "athlete_id",
      order: """
        CASE WHEN t.status = 'active' AND (SELECT p.open_since IS NOT NULL FROM strava.provider AS p) THEN 0 ELSE 1 END,
        CASE t.status WHEN 'connecting' THEN CASE WHEN \(ProviderLimits.tokens.hasReserveShare) THEN 0 ELSE 3 END
          WHEN 'revoked' THEN 1 ELSE 2 END, t.status = 'connecting' AND t.refused_codes > 0, NOT (\(isRacing)),
        t.expires_at
        """,
      [
        .init(at: "t.next_call_at", where: isSealed),
        .init(at: "t.next_call_at", where: "\(isSealed) AND t.refused_codes = 0", repeated: true),
        .init(at: "t.next_call_at", where: "t.status = 'revoked' AND t.next_call_at IS NOT NULL"),
        .init(at: "t.next_call_at", where: isActive),
        .init(at: "t.next_call_at", where: "\(isActive) AND \(isRacing)", repeated: true),
        .init(
          at: "t.next_call_at",
          where: "\(isActive) AND t.expires_at <= \(now) + interval '\(RefreshTime.latest.components.seconds) seconds'",
          repeated: true, order: "t.expires_at"),
      ])
  }()

  func prepare(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws -> [Input] {
    guard let present = try await SealingRows.present(in: transaction, else: sealer.primary?.id) else {
      throw Sealer.missing(nil)
    }
    guard sealer.has(present) else { throw Sealer.missing(present) }
    let spooled = spool.waiting
    let connections = try await transaction.query(TokenRows.connections(keys)).decodeAll(as: TokenRows.Connection.init)
      .filter { !spooled.contains($0.athlete) }
    let openable = connections.filter { $0.key.map(sealer.has) ?? false }
    // Another node may have the key.
    if openable.isEmpty, let missing = connections.lazy.compactMap(\.key).first { throw Sealer.missing(missing) }
    return try openable.map { try input($0, present, now) }
  }

  private func input(_ connection: TokenRows.Connection, _ present: String, _ now: Timestamp) throws -> Input {
    let purpose: Purpose =
      switch connection.status {
      case "connecting": .exchange
      case "revoked": .revoke
      default: .refresh
      }
    let secret = try sealer.open(
      connection.secret?.array ?? [], purpose == .exchange ? .code : .refresh, of: connection.athlete,
      with: connection.key ?? "")
    return Input(
      athlete: connection.athlete, purpose: purpose, generation: connection.generation,
      attempt: purpose == .exchange ? connection.attempt : nil, secret: String(decoding: secret, as: UTF8.self),
      sealingKey: present, at: now)
  }

  func key(of input: Input) -> Int64 { input.athlete }

  func usesReserve(_ input: Input) -> Bool { input.purpose == .exchange }

  func call(_ input: Input, under lease: Int64) async throws -> Reply {
    let reply =
      switch input.purpose {
      case .exchange: try await provider.exchange(input.secret, at: input.at)
      case .refresh: try await provider.refresh(input.secret, at: input.at)
      case .revoke: try await provider.revoke(input.secret, at: input.at)
      }
    switch reply.outcome {
    case .refused: return Reply(outcome: .refused, usage: reply.usage)
    case .revoked: return Reply(outcome: .revoked, usage: reply.usage)
    case .tokens(let pair):
      let tokens = SpooledTokens(pair, for: input, under: lease)
      await spool.keep(tokens)
      return Reply(outcome: .tokens(tokens), usage: reply.usage)
    }
  }

  func ended(_ input: Input, under lease: Int64, isWritten: Bool) async {
    await spool.release(lease: lease, of: input.athlete, isWritten: isWritten)
  }

  func apply(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws {
    switch reply.outcome {
    case .tokens(let tokens): try await tokens.keep(in: transaction, sealer, isLate: false)
    case .refused: _ = try await transaction.query(TokenRows.refuse(input))
    case .revoked: _ = try await transaction.query(TokenRows.revoked(input))
    }
    try await breaker.noteAnswer(in: transaction)
    note(reply.usage, of: input, in: transaction)
  }

  /// Only tokens are useful when late: for any other reply, another node has requested again since.
  func applyLate(_ reply: Reply, to input: Input, at now: Timestamp, in transaction: Transaction) async throws {
    if case .tokens(let tokens) = reply.outcome { try await tokens.keep(in: transaction, sealer, isLate: true) }
  }

  func concernsPeer(_ error: any Error) -> Bool { breaker.concernsPeer(Breaker.failure(error)) }

  func noteFailure(
    _ error: any Error, of input: Input, at now: Timestamp, in transaction: Transaction
  ) async throws {
    let failure = Breaker.failure(error)
    try await breaker.note(failure, of: input, in: transaction)
    var usage = failure.usage
    if failure.kind == .limit, usage.isEmpty {
      // The provider's count is higher than ours: these 15 minutes are over for us.
      let allowed = try await ProviderLimits.tokens.readUsage(in: transaction)[0].limit ?? 0
      usage = [CallBudget.WindowUsage(ProviderLimits.quarter, used: allowed, limit: nil)]
    }
    note(usage, of: input, in: transaction)
  }

  private func note(_ usage: [CallBudget.WindowUsage], of input: Input, in transaction: Transaction) {
    guard !usage.isEmpty else { return }
    transaction.beforeCommit(ProviderLimits.tokens.note(usage, ofCallAt: input.at))
  }

  func noteAbandoned(_ keys: [Int64], at now: Timestamp, in transaction: Transaction) async throws {
    _ = try await transaction.query(TokenRows.abandoned(keys))
  }
}
