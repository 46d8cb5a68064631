/// The answers of one route to each caller, where the token is good. Source: Gateway.docc/WhoMayDoWhat.md.
struct MatrixCase: Sendable {
  enum Outcome: Equatable, Sendable {
    case done(Int)
    case refused(Int, String)

    static let tokenMissing = Outcome.refused(401, "token-missing")
    static let identity = Outcome.refused(403, "identity")
    static let oneself = Outcome.refused(403, "self")
    static let role = Outcome.refused(403, "role")
    static let coach = Outcome.refused(403, "coach")
  }

  /// The path's parameters by name, whose values are names of `MatrixWorld.things`.
  var values: [String: String] = [:]
  var query = ""
  /// The body: `{thing}` stands for the thing's id, `{caller}` for a number of the caller.
  var body: String?
  /// The body with a token that has ended, where only a whole body comes to the database.
  var wholeBody: String?
  /// After all others, because it changes what they need.
  var isLast = false
  private let outcomes: [Outcome]

  /// In the order of `MatrixCaller.good`.
  private init(_ outcomes: [Outcome]) {
    precondition(outcomes.count == MatrixCaller.good.count, "one outcome for each caller")
    self.outcomes = outcomes
  }

  /// A token that is not good is 401 everywhere, on public routes too.
  func outcome(for caller: MatrixCaller) -> Outcome {
    guard let place = MatrixCaller.good.firstIndex(of: caller) else { return .refused(401, "token") }
    return outcomes[place]
  }

  static func everybody(_ outcome: Outcome = .done(200)) -> MatrixCase {
    MatrixCase(.init(repeating: outcome, count: MatrixCaller.good.count))
  }

  /// Two have the identity; what each gets.
  static func identity(another: Outcome = .done(200), oneself: Outcome = .done(200)) -> MatrixCase {
    MatrixCase([.tokenMissing, another, oneself, .identity, .identity, .identity])
  }

  /// The path names who calls.
  static func own(_ status: Int = 200) -> MatrixCase { identity(another: .oneself, oneself: .done(status)) }

  static func coach() -> MatrixCase {
    MatrixCase([.tokenMissing, .coach, .coach, .done(200), .coach, .identity])
  }

  static func moderator() -> MatrixCase {
    MatrixCase([.tokenMissing, .role, .role, .role, .done(200), .role])
  }

  static func payments() -> MatrixCase {
    MatrixCase([.tokenMissing, .role, .role, .role, .role, .done(201)])
  }

  /// The body names oneself: only the same person may, and a coach where `coach` says so.
  static func named(coach: Outcome) -> MatrixCase {
    MatrixCase([.tokenMissing, .identity, .done(200), coach, .identity, .identity])
  }

  func with(
    _ values: [String: String] = [:], query: String = "", body: String? = nil, wholeBody: String? = nil,
    isLast: Bool = false
  ) -> MatrixCase {
    var copy = self
    copy.values = values
    copy.query = query
    copy.body = body
    copy.wholeBody = wholeBody
    copy.isLast = isLast
    return copy
  }
}
