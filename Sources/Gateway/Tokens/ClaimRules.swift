/// The rules for the claims of a token, once its signature is known to be its issuer's.
///
/// Source: Gateway.docc/Callers.md. A claim that is there with a wrong type or value has the whole token refused; null
/// is such a value. Claims that are not known here are passed over.
struct ClaimRules: Sendable {
  /// How far an issuer's clock may be ahead of this machine's, for `nbf` and `iat`. There is none for `exp`.
  static let leewaySeconds = 60.0
  /// The longest text that names a person.
  static let nameCharactersMax = 200

  let claims: [String: StrictJSON]

  /// Throws unless the token is for this audience and valid at `now` (seconds since 1970). Returns `exp`.
  func checkValidity(audience: String?, at now: Double) throws(TokenError) -> Double {
    try checkAudience(audience)
    guard let expiry = try seconds("exp") else { throw TokenError(.claim) }
    guard now < expiry else { throw TokenError(.expired) }
    for name in ["nbf", "iat"] {
      guard try seconds(name) ?? now <= now + Self.leewaySeconds else { throw TokenError(.notYet) }
    }
    return expiry
  }

  /// `aud` is a text or a list of one text at least (RFC 7519, 4.1.3), whether or not it is compared.
  private func checkAudience(_ audience: String?) throws(TokenError) {
    let named: [String]
    switch claims["aud"] {
    case nil: named = []
    case .string(let text): named = [text]
    case .array(let elements) where !elements.isEmpty:
      named = elements.compactMap(\.text)
      guard named.count == elements.count else { throw TokenError(.claim) }
    default: throw TokenError(.claim)
    }
    if let audience, !named.contains(audience) { throw TokenError(.audience) }
  }

  private func seconds(_ name: String) throws(TokenError) -> Double? {
    guard let value = claims[name] else { return nil }
    guard let seconds = value.seconds else { throw TokenError(.claim) }
    return seconds
  }

  func caller(of issuer: Issuer) throws(TokenError) -> Caller {
    switch issuer.identity {
    case .own: try own()
    case .foreign(let identity, let claim): try foreign(identity, claim, of: issuer.name)
    }
  }

  /// An account comes with its epoch, or logging out would end nothing.
  private func own() throws(TokenError) -> Caller {
    var account: Int64?
    if let subject = claims["sub"] {
      guard let text = subject.text, let id = Int64(text), id > 0, text == "\(id)" else { throw TokenError(.claim) }
      account = id
    }
    var epoch: Int64?
    if let value = claims["epoch"] {
      guard let number = value.integer, number >= 0 else { throw TokenError(.claim) }
      epoch = number
    }
    guard (account == nil) == (epoch == nil) else { throw TokenError(.claim) }
    return Caller(
      account: account, epoch: epoch, athlete: try number("athlete"), username: try name("username"),
      runner: try number("runner"), reader: try number("reader"), checkin: try name("checkin"), roles: try roles())
  }

  private func number(_ claim: String) throws(TokenError) -> Int64? {
    guard let value = claims[claim] else { return nil }
    guard let number = value.integer, number > 0 else { throw TokenError(.claim) }
    return number
  }

  private func name(_ claim: String) throws(TokenError) -> String? {
    guard let value = claims[claim] else { return nil }
    guard let text = value.text, Self.isName(text) else { throw TokenError(.claim) }
    return text
  }

  /// Roles that are not known here give nothing: a newer gateway may have signed the token.
  private func roles() throws(TokenError) -> Set<Role> {
    guard let value = claims["roles"] else { return [] }
    guard let elements = value.elements else { throw TokenError(.claim) }
    let texts = elements.compactMap(\.text)
    guard texts.count == elements.count else { throw TokenError(.claim) }
    return Set(texts.compactMap(Role.init(rawValue:)))
  }

  /// Ids of others come as numbers, or as texts of digits: WordPress writes either.
  private func foreign(_ identity: ForeignIdentity, _ path: [String], of issuer: String) throws(TokenError) -> Caller {
    guard let value = StrictJSON.object(claims).member(path) else { throw TokenError(.claim) }
    if identity == .checkin {
      guard let text = value.text, Self.isName(text) else { throw TokenError(.claim) }
      return Caller(checkin: text, issuer: issuer, subject: "checkin:\(text)")
    }
    guard let id = value.integer ?? value.text.flatMap({ Int64($0) }), id > 0,
      value.text.map({ $0 == "\(id)" }) ?? true
    else { throw TokenError(.claim) }
    return identity == .athlete
      ? Caller(athlete: id, issuer: issuer, subject: "athlete:\(id)")
      : Caller(reader: id, issuer: issuer, subject: "reader:\(id)")
  }

  /// Whether a text can name a person: not empty, not too long, and without control characters.
  static func isName(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    return !scalars.isEmpty && scalars.count <= nameCharactersMax
      && !scalars.contains { $0.properties.generalCategory == .control }
  }
}
