import ControlAPI
import HTTPServing
import Postgres

/// Logging in and out, registering, and new passwords. Source: Accounts.docc/LogIn.md.
///
/// Passwords are hashed here and compared here; the database keeps the hash, counts failures, and knows whose account
/// it is. Neither a login nor a reset reveals which addresses exist.
struct SignIn: Sendable {
  let passwords: PasswordHasher
  /// Nil: this gateway does not sign tokens.
  let tokens: TokenIssuer?
  /// Nil: no mail is sent.
  let mailer: Mailer?
  let publicURL: String
  let surroundings: Surroundings

  /// The gateway's base URL in the database.
  static let publicURLSetting = "accounts.public_url"

  /// Members of the body that are texts; what is null counts as absent.
  struct Fields {
    private let members: [String: StrictJSON]

    init(_ call: Call) throws(GatewayError) {
      guard let body = call.body, let members = (try? StrictJSON(Array(body.utf8)))?.members else {
        throw .json("the body is not a JSON object, or has a duplicate member")
      }
      self.members = members
    }

    func optional(_ name: String) throws(GatewayError) -> String? {
      guard let value = members[name], value != .null else { return nil }
      guard let text = value.text else { throw .parameter(name, "must be a string") }
      return text
    }

    func required(_ name: String) throws(GatewayError) -> String {
      guard let text = try optional(name) else { throw .parameter(name, "is missing") }
      return text
    }
  }

  /// The identity of somebody whose password is right: 401 where it is not, 429 where there were too many failures.
  func logIn(_ name: String, _ password: String, _ call: Call, _ database: Database) async throws(GatewayError)
    -> StrictJSON
  {
    try checkSigns()
    let address = call.address?.limitKey ?? "local"
    let found = try await ask("gateway.credentials(\(name), \(address))", of: call.caller, database)
    let isRight: Bool
    do throws(PasswordError) {
      let isKnown = found.member(["isKnown"]) == .bool(true)
      isRight = try await passwords.isRight(
        password, for: found.member(["hash"])?.text, isKnown: isKnown, from: call.address?.siteKey)
    } catch {
      // Nobody looked at the password. This request may be given up already: a task of its own is not.
      _ = Task { try? await ask("gateway.forget_attempt(\(name), \(address))", database) }
      throw GatewayError(error)
    }
    guard isRight, let account = found.member(["account"])?.integer, let epoch = found.member(["epoch"])?.integer else {
      throw GatewayError(401, rule: "credentials", "the address or password is wrong")
    }
    return try await ask("gateway.log_in(\(account), \(epoch), \(name), \(address))", database)
  }

  /// Throws 501 before anything is done that ends with a token.
  func checkSigns() throws(GatewayError) {
    if tokens == nil { throw Self.signsNone }
  }

  private static let signsNone = GatewayError(501, rule: "signing-key", "this gateway does not sign tokens")

  /// A token for an account, with the identities of `gateway.identity`.
  func token(_ identity: StrictJSON) async throws(GatewayError) -> String {
    guard let tokens else { throw Self.signsNone }
    let roles = (identity.member(["roles"])?.elements ?? []).compactMap { $0.text.flatMap(Role.init) }
    let caller = Caller(
      account: identity.member(["account"])?.integer, epoch: identity.member(["epoch"])?.integer,
      athlete: identity.member(["athlete"])?.integer, username: identity.member(["username"])?.text,
      runner: identity.member(["runner"])?.integer, reader: identity.member(["reader"])?.integer,
      checkin: identity.member(["checkin"])?.text, roles: Set(roles))
    do {
      return try await tokens.token(for: caller, at: surroundings.wall())
    } catch {
      throw .bug("a token could not be signed: \(error)")
    }
  }

  /// One call of the database whose answer is JSON.
  func ask(
    _ expression: Statement, of caller: Caller? = nil, _ database: Database
  ) async throws(GatewayError) -> StrictJSON {
    let text = try await database.answer(CallStatement.make(expression, caller: caller, key: nil)) ?? "null"
    do {
      return try StrictJSON(Array(text.utf8))
    } catch {
      throw .bug("the database did not return JSON: \(error)")
    }
  }

  func hash(_ password: String, _ call: Call) async throws(GatewayError) -> String {
    do throws(PasswordError) {
      return try await passwords.hash(password, from: call.address?.siteKey)
    } catch {
      throw GatewayError(error)
    }
  }
}

extension GatewayError {
  init(_ error: PasswordError) {
    switch error {
    case .length:
      let range = PasswordRules.characters
      self = .parameter("password", "must have \(range.lowerBound) to \(range.upperBound) characters")
    case .busy, .cancelled: self = .tryLater("too many passwords are being checked", rule: "busy")
    case .unusableHash: self = .bug("the stored password hash cannot be used")
    }
  }
}
