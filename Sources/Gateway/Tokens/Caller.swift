/// The caller, as a verified token describes him.
///
/// Source: Gateway.docc/Callers.md. What a token does not say is nil. Times, signature and issuer were checked already;
/// whether the account is still current is asked in the transaction of the call, with `account` and `epoch`.
package struct Caller: Hashable, Sendable {
  /// The issuer of the gateway's own tokens; no issuer of the issuers file can have this name.
  package static let ownIssuer = "settled"

  /// The account, never without its epoch; nil for tokens of other issuers, and for those signed by hand.
  package let account: Int64?
  package let epoch: Int64?
  package let athlete: Int64?
  package let username: String?
  package let runner: Int64?
  package let reader: Int64?
  package let checkin: String?
  package let roles: Set<Role>
  /// The name of the issuer, not its `iss`.
  package let issuer: String
  /// The issuer's name for this person; stable, and never shared by two persons of one issuer.
  package let subject: String

  /// `subject` is made from the identities where it is nil.
  package init(
    account: Int64? = nil, epoch: Int64? = nil, athlete: Int64? = nil, username: String? = nil, runner: Int64? = nil,
    reader: Int64? = nil, checkin: String? = nil, roles: Set<Role> = [], issuer: String = Caller.ownIssuer,
    subject: String? = nil
  ) {
    self.account = account
    self.epoch = epoch
    self.athlete = athlete
    self.username = username
    self.runner = runner
    self.reader = reader
    self.checkin = checkin
    self.roles = roles
    self.issuer = issuer
    if let subject {
      self.subject = subject
    } else if let account {
      self.subject = "account:\(account)"
    } else {
      let identities = Self.identities(athlete, username, runner, reader, checkin)
      self.subject = identities.isEmpty ? "nobody" : identities.joined(separator: " ")
    }
  }

  private static func identities(
    _ athlete: Int64?, _ username: String?, _ runner: Int64?, _ reader: Int64?, _ checkin: String?
  ) -> [String] {
    [
      athlete.map { "athlete:\($0)" }, runner.map { "runner:\($0)" }, reader.map { "reader:\($0)" },
      username.map { "username:\($0)" }, checkin.map { "checkin:\($0)" },
    ].compactMap { $0 }
  }

  /// Who the caller is in each system, and by account: as `athlete:7`.
  package var persons: [String] {
    Self.identities(athlete, username, runner, reader, checkin) + (account.map { ["account:\($0)"] } ?? [])
  }

  /// The name of the caller for limits, idempotency keys and the access log.
  package var identity: String { "\(issuer)/\(subject)" }
}
