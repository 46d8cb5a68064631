/// Somebody of the demo who can log in.
struct DemoPerson: Sendable {
  /// Also the name of the file with the token, as curl's -H @FILE reads it.
  let name: String
  let about: String
  let password: String
  let token: String
  let tokenFile: String

  var email: String { Self.email(name) }

  static func email(_ name: String) -> String { "\(name)@example.org" }
}
