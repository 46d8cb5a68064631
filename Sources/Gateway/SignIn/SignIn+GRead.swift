import ControlAPI
import HTTPServing
import TextCoding

extension SignIn {
  /// WordPress's own login, as GRead's app calls it, for an account with a reader.
  var gread: Route {
    Route(
      .post, "jwt-auth/v1/token", of: .gread, prefixes: ["/wp-json"], access: .everybody,
      body: .object(["username": .loginName, "password": .text]),
      refuses: [403: ["invalid-credentials"], 429: ["attempts"]],
      answer: .object([
        "token": .text, "user_email": .text, "user_nicename": .text, "user_display_name": .text, "user_id": .integer,
      ]),
      summary: "Logs in a reader with a username or email address and a password.", needsConfiguration: true,
      limit: .signIn,
      action: .work { call, database throws(GatewayError) in
        let fields = try Fields(call)
        let (name, password) = (try fields.required("username"), try fields.required("password"))
        let identity = try await readerIdentity(name, password, call, database)
        guard let reader = identity.member(["reader"]), reader.integer != nil else { throw Self.invalid }
        let email = identity.member(["email"])?.text ?? ""
        let username = identity.member(["username"])?.text ?? "reader-\(reader.json)"
        let body = JSONText.object([
          ("token", JSONText.quoted(try await token(identity))), ("user_email", JSONText.quoted(email)),
          ("user_nicename", JSONText.quoted(username)),
          ("user_display_name", JSONText.quoted(identity.member(["displayName"])?.text ?? username)),
          ("user_id", reader.json),
        ])
        return Response(status: 200, contentType: "application/json", body: body)
      })
  }

  /// A wrong password is 403 in WordPress's words.
  private func readerIdentity(
    _ name: String, _ password: String, _ call: Call, _ database: Database
  ) async throws(GatewayError) -> StrictJSON {
    do throws(GatewayError) {
      return try await logIn(name, password, call, database)
    } catch {
      throw error.rule == "credentials" ? Self.invalid : error
    }
  }

  private static let invalid = GatewayError(
    403, rule: "invalid-credentials", "the username or password is wrong")
}
