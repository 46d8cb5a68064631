import ControlAPI
import HTTPServing
import OneTimeTokens
import TextCoding
import Postgres

/// Racepace's auth/ routes, which are the accounts' of all systems.
extension SignIn {
  static let session = AnswerSchema.object(["token": .text, "user": RacepaceSchema.sessionUser])

  var racepace: [Route] { [register, logIn, validate, logOut, requestReset, confirmReset] }

  private var register: Route {
    Route(
      .post, "auth/register", of: .racepace, access: .everybody,
      body: .object(
        ["email": .email, "password": .newPassword, "userType": .userType],
        optional: ["displayName": .nullable(.shownName)]),
      refuses: [409: ["email"]],
      success: 201, answer: Self.session, summary: "Creates an account and its athlete, and logs in.",
      needsConfiguration: true, limit: .signIn,
      action: .work { call, database throws(GatewayError) in
        try checkSigns()
        let fields = try Fields(call)
        let (email, password) = (try fields.required("email"), try fields.required("password"))
        let (type, name) = (try fields.required("userType"), try fields.optional("displayName"))
        _ = try await ask("gateway.check_email(\(email))", of: call.caller, database)
        let hash = try await hash(password, call)
        let made = try await ask(
          "gateway.register(\(email), \(name), \(type), \(hash))", of: call.caller, database)
        return try await answer(201, made)
      })
  }

  private var logIn: Route {
    Route(
      .post, "auth/login", of: .racepace, access: .everybody, body: .object(["email": .loginName, "password": .text]),
      refuses: [401: ["credentials"], 429: ["attempts"]],
      answer: Self.session, summary: "Logs in with an email address or username and a password.",
      needsConfiguration: true,
      limit: .signIn,
      action: .work { call, database throws(GatewayError) in
        let fields = try Fields(call)
        let identity = try await logIn(
          try fields.required("email"), try fields.required("password"), call, database)
        guard let account = identity.member(["account"])?.integer else { throw .bug("an identity has no account") }
        return try await answer(200, try await ask("gateway.racepace_session(\(account))", database))
      })
  }

  private var validate: Route {
    Route(
      .get, "auth/validate", of: .racepace, access: .token,
      refuses: [403: ["identity"]],
      answer: Self.session,
      summary: "Checks that the token is still valid, and returns the token and its user.",
      action: .work { call, database throws(GatewayError) in
        guard let account = call.caller?.account, let token = call.token else { throw Self.noAccount }
        let session = try await ask("gateway.racepace_session(\(account))", of: call.caller, database)
        return Self.answer(200, token: token, session)
      })
  }

  private var logOut: Route {
    Route(
      .post, "auth/logout", of: .racepace, access: .token, repetition: .plain,
      refuses: [403: ["identity"]],
      success: 204, answer: nil,
      summary: "Revokes all of the account's tokens.",
      action: .call { call throws(GatewayError) in
        guard let account = call.caller?.account else { throw Self.noAccount }
        return "gateway.log_out(\(account))"
      })
  }

  private var requestReset: Route {
    Route(
      .post, "auth/reset-password", of: .racepace, access: .everybody, body: .object(["email": .email]),
      refuses: [503: ["home"]],
      success: 202,
      answer: .object([:]), summary: "Emails a link for setting a new password if the address has an account.",
      needsConfiguration: true, limit: .signIn,
      action: .work { call, database throws(GatewayError) in
        let email = try Fields(call).required("email")
        guard let mailer else { throw GatewayError(501, rule: "sendmail", "this gateway does not send email") }
        _ = try await ask("gateway.check_email(\(email))", of: call.caller, database)
        _ = try await ask("gateway.check_mails()", of: call.caller, database)
        // Whether the address has an account is found out after the answer, whose time would tell it.
        guard mailer.send({ () async throws(GatewayError) in try await resetMail(for: email, database) }) else {
          throw .tryLater("too many emails are waiting to be sent", rule: "busy")
        }
        return Response(status: 202, contentType: "application/json", body: "{}")
      })
  }

  /// Nil where nobody is mailed.
  private func resetMail(for email: String, _ database: Database) async throws(GatewayError) -> Mail? {
    let token = OneTimeToken(random: surroundings.randomBytes)
    let found = try await ask("gateway.request_reset(\(email), \(Bytes(token.digest)))", database)
    return found.member(["email"])?.text.map {
      .reset(to: $0, link: "\(publicURL)/reset#token=\(token.text)")
    }
  }

  private var confirmReset: Route {
    Route(
      .post, "auth/reset-password/confirm", of: .racepace, access: .everybody,
      body: .object(["token": linkToken, "password": .newPassword]), success: 204, answer: nil,
      summary: "Sets a new password with the token from a link, and revokes all of the account's tokens.",
      limit: .signIn,
      action: .work { call, database throws(GatewayError) in
        let fields = try Fields(call)
        let password = try fields.required("password")
        guard let token = OneTimeToken(try fields.required("token")) else {
          throw GatewayError(400, rule: "token", "this link is invalid or has expired")
        }
        let digest = Bytes(token.digest)
        _ = try await ask("gateway.check_reset(\(digest))", of: call.caller, database)
        let hash = try await hash(password, call)
        _ = try await ask("gateway.set_password(\(digest), \(hash))", database)
        return Response(status: 204)
      })
  }

  private var linkToken: AnswerSchema {
    .text.pattern("^[A-Za-z0-9_-]{43}$").meaning("the token from the mailed link")
      .example("uIY0TqPp5dRtV3vXK2yq0m9b7F1l4cGzNwHsJeA8DgM")
  }

  private static let noAccount = GatewayError(403, rule: "identity", "the token has no account")

  /// A session with a new token.
  private func answer(_ status: Int, _ session: StrictJSON) async throws(GatewayError) -> Response {
    guard let identity = session.member(["identity"]) else { throw .bug("a session has no identity") }
    return Self.answer(status, token: try await token(identity), session)
  }

  private static func answer(_ status: Int, token: String, _ session: StrictJSON) -> Response {
    let user = session.member(["user"]) ?? .null
    let body = JSONText.object([("token", JSONText.quoted(token)), ("user", user.json)])
    return Response(status: status, contentType: "application/json", body: body)
  }
}
