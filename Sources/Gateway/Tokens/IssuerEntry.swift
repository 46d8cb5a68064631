/// Reads one entry of the issuers file, and gathers what is wrong with it.
struct IssuerEntry {
  private static let keys: Set<String> = ["name", "iss", "aud", "alg", "key", "jwks_file", "identity", "claim"]

  private let members: [String: StrictJSON]
  private let place: String
  private var forbidden: [(key: String, values: [String: String])] = []
  private(set) var problems: [String] = []
  private(set) var warnings: [String] = []

  init(_ entry: StrictJSON, place: String) {
    members = entry.members ?? [:]
    if let name = members["name"]?.text, Self.isWord(name) {
      self.place = "\(place) (\(name))"
    } else {
      self.place = place
    }
    if entry.members == nil { problems.append("\(place): is not an object") }
    for key in members.keys.sorted() where !Self.keys.contains(key) {
      problems.append("\(self.place): \(Self.isWord(key) ? key : "a key"): is not a valid issuer key")
    }
  }

  /// Values that a key may not have, and why.
  mutating func forbid(_ key: String, _ values: [String: String]) {
    forbidden.append((key, values))
  }

  /// Nil where anything is wrong: `problems` lists it.
  mutating func issuer(
    now: @escaping @Sendable () -> Duration, observe: @escaping @Sendable (TokenObservation) -> Void
  ) async -> Issuer? {
    guard !members.isEmpty else {
      if problems.isEmpty { problems.append("\(place): is empty") }
      return nil
    }
    let name = text("name") { Self.isWord($0) ? nil : "must have 1 to 40 characters from a-z, 0-9, - and _" }
    let iss = text("iss") { (1...1000).contains($0.utf8.count) ? nil : "must be 1 to 1000 bytes long" }
    let audience = audience()
    let algorithm = choice("alg", SigningAlgorithm.allCases)
    let identity = choice("identity", ForeignIdentity.allCases)
    let claim = text("claim") { Self.isPath($0) ? nil : "must be a name, or names joined by dots" }
    guard let name, let algorithm else { return nil }
    let keys = await keys(of: name, algorithm, now: now, observe: observe)
    guard problems.isEmpty, let iss, let audience, let keys, let identity, let claim else { return nil }
    return Issuer(
      name: name, iss: iss, audience: audience.text, algorithm: algorithm, keys: keys,
      identity: .foreign(identity, claim: claim.split(separator: ".").map(String.init)))
  }

  /// Leaving the audience open has to be said, so that nobody forgets it.
  private mutating func audience() -> StrictJSON? {
    if members["aud"] == .null { return .null }
    guard members["aud"] != nil else {
      say("aud", "is missing: set it to null to accept tokens for any audience")
      return nil
    }
    return text("aud") { (1...1000).contains($0.utf8.count) ? nil : "must be 1 to 1000 bytes long" }.map { .string($0) }
  }

  private mutating func keys(
    of name: String, _ algorithm: SigningAlgorithm, now: @escaping @Sendable () -> Duration,
    observe: @escaping @Sendable (TokenObservation) -> Void
  ) async -> Issuer.Keys? {
    let (key, other) = algorithm == .hs256 ? ("key", "jwks_file") : ("jwks_file", "key")
    if members[other] != nil { say(other, "is not used with \(algorithm.rawValue)") }
    do {
      if algorithm == .hs256 {
        guard let secret = text(key, Self.secretProblem) else { return nil }
        return .fixed(try await KeySet(secret: secret))
      }
      guard let path = text(key, { $0.hasPrefix("/") ? nil : "must be an absolute path" }) else { return nil }
      let file = try await KeyFile(path, of: name, algorithm, now: now, observe: observe)
      warnings += file.warnings.map { "\(place): \(key): \($0)" }
      return .file(file)
    } catch {
      say(key, "\(error)")
      return nil
    }
  }

  private static func secretProblem(_ secret: String) -> String? {
    let count = secret.utf8.count
    if count < IssuersFile.secretBytesMin {
      return "has \(count) bytes, but an HS256 secret needs at least \(IssuersFile.secretBytesMin)"
    }
    return count > IssuersFile.secretBytesMax ? "has more than \(IssuersFile.secretBytesMax) bytes" : nil
  }

  private mutating func choice<Choice: RawRepresentable<String>>(_ key: String, _ choices: [Choice]) -> Choice? {
    let problem = "must be one of " + choices.map(\.rawValue).joined(separator: ", ")
    return text(key) { Choice(rawValue: $0) == nil ? problem : nil }.flatMap(Choice.init(rawValue:))
  }

  private mutating func text(_ key: String, _ problem: (String) -> String?) -> String? {
    guard let value = members[key] else {
      say(key, "is missing")
      return nil
    }
    guard let text = value.text else {
      say(key, "must be a string")
      return nil
    }
    let forbidden = forbidden.lazy.filter { $0.key == key }.compactMap { $0.values[text] }.first
    if let problem = problem(text) ?? forbidden {
      say(key, problem)
      return nil
    }
    return text
  }

  private mutating func say(_ key: String, _ problem: String) {
    problems.append("\(place): \(key): \(problem)")
  }

  private static func isWord(_ text: String) -> Bool {
    (1...40).contains(text.utf8.count)
      && text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 || $0 == 95 }
  }

  private static func isPath(_ text: String) -> Bool {
    let names = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 200 && names.count <= 8 && !names.contains { $0.isEmpty }
  }
}
