import ControlAPI

extension OpenAPI {
  /// Objects that have a name in the description; each JSON Schema has one.
  static let named: [(name: String, schema: AnswerSchema)] =
    RacepaceSchema.named + [("Session", SignIn.session)] + TeamSchema.named + GReadSchema.named + CheckIn.named
}
