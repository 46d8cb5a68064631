/// A caller of each route of the matrix.
enum MatrixCaller: String, CaseIterable, Sendable {
  /// Without a token.
  case nobody
  /// An account with all identities, none of which a request names.
  case another
  /// The account whose identities the requests name.
  case oneself
  /// Tokens without an account: a username whose role is coach, and two roles.
  case coach, moderator, payments
  /// Tokens of oneself that are not good.
  case expired
  case wrongKey = "wrong key"
  /// HS256, with the public key as the secret.
  case wrongAlgorithm = "wrong algorithm"
  case none
  case wrongAudience = "wrong audience"
  /// An account whose epoch has moved on, and one that is disabled.
  case loggedOut = "logged out"
  case disabled

  static let good: [MatrixCaller] = [.nobody, .another, .oneself, .coach, .moderator, .payments]

  var isGood: Bool { Self.good.contains(self) }
}
