/// The tokens and codes of all athletes, dead ones too.
struct Grants {
  struct Grant {
    let athlete: Int64
    /// Tells this grant from a later one of the athlete.
    let number: Int
    var accessToken: String
    var refreshToken: String
    var expiresAt: Int64
    var isAlive = true
  }

  private struct Access {
    let athlete: Int64
    let grant: Int
    let expiresAt: Int64
  }

  static let accessSeconds: Int64 = 6 * 3600
  /// With more than this left, a refresh gives the same tokens again.
  static let keptSeconds: Int64 = 3600

  /// The last grant of each athlete.
  private(set) var latest: [Int64: Grant] = [:]
  /// What athletes have said of their sex at the provider; those who have not are left out.
  private(set) var sexes: [Int64: String] = [:]
  /// Those who have not agreed to activity:read_all.
  private var withoutPrivate: Set<Int64> = []
  /// The athletes of codes that were not used yet.
  private var codes: [String: Int64] = [:]
  private var used: Set<String> = []
  private var refreshTokens: [String: Int64] = [:]
  private var accessTokens: [String: Access] = [:]
  private var grantsMade = 0
  /// Every code and token ever made.
  private(set) var secrets: [String] = []

  private mutating func secret(_ prefix: String) -> String {
    let digits = Array("0123456789abcdef")
    let secret = prefix + String((0..<40).map { _ in digits[Int.random(in: 0..<16)] })
    secrets.append(secret)
    return secret
  }

  /// The athlete has agreed, and comes back with a code.
  mutating func authorize(_ athlete: Int64, scope: String? = nil, sex: String? = nil) -> String {
    let code = secret("ac_")
    let agreed = scope.map { $0.split { $0 == "," || $0 == " " }.contains("activity:read_all") } ?? true
    if agreed { withoutPrivate.remove(athlete) } else { withoutPrivate.insert(athlete) }
    sexes[athlete] = sex
    codes[code] = athlete
    return code
  }

  /// Whether a code is used for the first time.
  mutating func isEarly(_ code: String) -> Bool { used.insert(code).inserted }

  /// Nil for a code that was used, or never was one.
  mutating func exchange(code: String, now: Int64) -> Grant? {
    guard let athlete = codes.removeValue(forKey: code) else { return nil }
    grantsMade += 1
    let grant = Grant(athlete: athlete, number: grantsMade, accessToken: "", refreshToken: secret("rt_"), expiresAt: 0)
    refreshTokens[grant.refreshToken] = athlete
    return withNewAccess(grant, now)
  }

  /// The grant before and after; nil for a token that is dead or unknown.
  mutating func refresh(_ token: String, rotates: Bool, now: Int64) -> (before: Grant, after: Grant)? {
    guard let athlete = refreshTokens[token], let before = latest[athlete], before.isAlive,
      before.refreshToken == token
    else { return nil }
    guard before.expiresAt - now <= Self.keptSeconds else { return (before, before) }
    var grant = before
    if rotates {
      grant.refreshToken = secret("rt_")
      refreshTokens[grant.refreshToken] = athlete
    }
    return (before, withNewAccess(grant, now))
  }

  private mutating func withNewAccess(_ old: Grant, _ now: Int64) -> Grant {
    var grant = old
    grant.accessToken = secret("at_")
    grant.expiresAt = now + Self.accessSeconds
    accessTokens[grant.accessToken] = Access(athlete: grant.athlete, grant: grant.number, expiresAt: grant.expiresAt)
    latest[grant.athlete] = grant
    return grant
  }

  /// Whether there was a grant to end.
  mutating func end(_ athlete: Int64) -> Bool {
    guard latest[athlete]?.isAlive == true else { return false }
    latest[athlete]?.isAlive = false
    return true
  }

  /// The athlete whose data an access token opens, and whether private activities too; one outlives its successor until
  /// it expires.
  func reader(_ accessToken: String, now: Int64) -> (athlete: Int64, seesPrivate: Bool)? {
    guard let access = accessTokens[accessToken], access.expiresAt > now, let grant = latest[access.athlete],
      grant.isAlive, grant.number == access.grant
    else { return nil }
    return (access.athlete, !withoutPrivate.contains(access.athlete))
  }

  /// Dead tokens have their owner still.
  func owner(ofRefreshToken token: String) -> Int64? { refreshTokens[token] }

  /// The athlete whose living grant a token belongs to.
  func holder(of token: String) -> Int64? {
    guard let athlete = refreshTokens[token] ?? accessTokens[token]?.athlete, let grant = latest[athlete],
      grant.isAlive, grant.refreshToken == token || grant.number == accessTokens[token]?.grant
    else { return nil }
    return athlete
  }
}
