/// How the provider behaves, until other settings arrive.
struct Settings {
  var limits = Limits(limit15: 200, limitDay: 2000)
  var readLimits = Limits(limit15: 100, limitDay: 1000)
  var sendsHeaders = true
  /// Whether a new access token comes with a new refresh token.
  var rotates = true
  var delayMs = 0
  var slowMs = 1000
  var faults: [Fault: Double] = [:]
  var seed: UInt64 = 0
  /// Nobody answers: connections are closed as soon as a call's head is there.
  var isAway = false
  /// Everybody gets 401.
  var deniesClient = false
  /// Everybody gets 400 for an unknown client id.
  var knowsNoClient = false
  /// Each exchange gets 403.
  var forbidsCodes = false
  /// Each code is refused when it is used the first time, and good afterwards.
  var isLateWithCodes = false
  /// Everybody gets 429, without a header.
  var tooMany = false
  /// Errors and unreadable answers repeat what was sent, and what would have been answered.
  var echoes = false

  /// Calls of 15 minutes and of a day of UTC.
  struct Limits: Codable {
    var limit15: Int
    var limitDay: Int
  }

  /// A control call's settings; those that it leaves out stay. The faults that it gives replace all others.
  struct Change: Decodable {
    var limits: Limits?
    var readLimits: Limits?
    var sendsHeaders: Bool?
    var rotates: Bool?
    var delayMs: Int?
    var slowMs: Int?
    var faults: [Fault: Double]?
    var seed: UInt64?
    var away: Bool?
    var deniesClient: Bool?
    var knowsNoClient: Bool?
    var forbidsCodes: Bool?
    var isLateWithCodes: Bool?
    var tooMany: Bool?
    var echoes: Bool?
  }

  mutating func apply(_ change: Change) {
    limits = change.limits ?? limits
    readLimits = change.readLimits ?? readLimits
    sendsHeaders = change.sendsHeaders ?? sendsHeaders
    rotates = change.rotates ?? rotates
    delayMs = change.delayMs ?? delayMs
    slowMs = change.slowMs ?? slowMs
    faults = change.faults ?? faults
    seed = change.seed ?? seed
    isAway = change.away ?? isAway
    deniesClient = change.deniesClient ?? deniesClient
    knowsNoClient = change.knowsNoClient ?? knowsNoClient
    forbidsCodes = change.forbidsCodes ?? forbidsCodes
    isLateWithCodes = change.isLateWithCodes ?? isLateWithCodes
    tooMany = change.tooMany ?? tooMany
    echoes = change.echoes ?? echoes
  }
}
