import FoundationEssentials
import Postgres

/// Tokens as a reply brought them, with all that is needed to keep them: what the spool has on disk, sealed.
struct SpooledTokens: Codable, Sendable, Equatable {
  let athlete: Int64
  /// How often the provider had given tokens when it was called.
  let generation: Int64
  /// The connection's attempt whose code was exchanged; nil: a refresh.
  let attempt: Int64?
  /// The athlete's number at the provider, where it said it.
  let providerAthlete: Int64?
  /// Nil: the provider did not say it, or a former release wrote the file.
  let sex: TokenPair.Sex?
  let accessToken: String
  let refreshToken: String
  /// Microseconds since 1970.
  let expiresAt: Int64
  /// Business time of the call; nil in a file of a former release.
  let calledAt: Int64?
  /// The lease under which the call was made.
  let lease: Int64
  /// The key that seals them.
  let key: String

  init(_ pair: TokenPair, for input: TokenRefreshJob.Input, under lease: Int64) {
    athlete = input.athlete
    generation = input.generation
    attempt = input.attempt
    providerAthlete = pair.athleteID
    sex = pair.sex
    accessToken = pair.accessToken
    refreshToken = pair.refreshToken
    expiresAt = pair.expiresAt.microseconds
    calledAt = input.at.microseconds
    self.lease = lease
    key = input.sealingKey
  }

  private init(_ other: SpooledTokens, holder: Int64, generation: Int64) {
    athlete = holder
    self.generation = generation
    attempt = nil
    providerAthlete = other.providerAthlete
    // The holder's row must not be locked behind a connection.
    sex = nil
    accessToken = other.accessToken
    refreshToken = other.refreshToken
    expiresAt = other.expiresAt
    calledAt = other.calledAt
    lease = other.lease
    key = other.key
  }

  /// Writes them, once: another time finds that the provider has given newer ones.
  ///
  /// The account may be another of our athletes'. A reply that has just come has ended that one's
  /// tokens, so that one gets these: somebody who connects with the account of another takes nothing
  /// away. Of a late reply nothing is known.
  func keep(in transaction: Transaction, _ sealer: Sealer, isLate: Bool) async throws {
    guard let holder = try await write(in: transaction, sealer), !isLate else { return }
    let generation = try await transaction.query(TokenRows.generation(of: holder)).one(Int64.self)
    _ = try await SpooledTokens(self, holder: holder, generation: generation).write(in: transaction, sealer)
  }

  /// Returns who has the account, where it is another athlete.
  private func write(in transaction: Transaction, _ sealer: Sealer) async throws -> Int64? {
    let sealed = try sealer.seal(Array(refreshToken.utf8), .refresh, of: athlete, with: key)
    let replies = try await transaction.pipeline([
      TokenRows.keep(self, sealed: Bytes(sealed)), TokenRows.dateBack(self),
    ])
    return try replies[0].one(Int64?.self)
  }
}
