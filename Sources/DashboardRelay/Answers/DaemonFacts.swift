import ControlAPI
import Dashboard
import Glibc
import TextCoding

/// What every screen needs of the daemon beside its parts: the time, the version, the caller and the zone.
actor DaemonFacts {
  private static let statusFor: Duration = .seconds(5)
  private static let callerFor: Duration = .seconds(30)
  private static let zoneFor: Duration = .seconds(3600)
  private static let settingFor: Duration = .seconds(60)
  /// An answer of `zone.offsets` covers 400 days at most.
  private static let zoneDays: Int64 = 395
  private static let defaultZone = "racing.time_zone"

  private let link: DaemonLink
  private let zoneName: String?
  private let place: DaemonPlace
  private let clock = ContinuousClock()
  private var time: (now: Instant, at: ContinuousClock.Instant)?
  /// A simulated clock is known only at the daemon's polls.
  private var isSimulated = false
  private var version: String?
  private var caller: (caller: Operator, at: ContinuousClock.Instant)?
  private var racingZone: (name: String, at: ContinuousClock.Instant)?
  private var zones: [String: (offsets: PageZone, at: ContinuousClock.Instant)] = [:]

  /// `zone`: the zone of pages that name none; nil: the daemon's setting.
  init(_ link: DaemonLink, zone: String?, place: DaemonPlace) {
    self.link = link
    self.place = place
    zoneName = zone
  }

  /// The state of a page, but for its query and the happenings.
  func state(zone: String?, allowsChanges: Bool) async -> PageState {
    async let caller = presentCaller()
    let now = await now()
    var state = PageState(
      now: now, zone: await offsets(of: zone, now: now), caller: await caller, allowsChanges: allowsChanges,
      version: version)
    state.place = place
    state.hasSimulatedClock = isSimulated
    return state
  }

  /// The operator and the operator's level: the last known one while the daemon does not answer, else read.
  ///
  /// The daemon decides on each change. The level only keeps the page from offering what would be refused.
  func presentCaller() async -> Operator {
    if let caller, clock.now - caller.at < Self.callerFor { return caller.caller }
    guard let answer = await link.reply(to: Ask("caller")).answer else {
      return caller?.caller ?? Operator(uid: Int64(geteuid()), user: nil, level: .read)
    }
    let level = answer["level"]?.text.flatMap { CommandLevel(rawValue: $0) }
    let found = Operator(
      uid: answer["uid"]?.integer ?? Int64(geteuid()), user: answer["user"]?.text, level: level ?? .read)
    caller = (found, clock.now)
    return found
  }

  private func now() async -> Instant {
    if let time, clock.now - time.at < Self.statusFor { return later(time) }
    if let status = await link.reply(to: Ask("status")).answer, let now = status["now"]?.text.flatMap({ Instant($0) }) {
      version = status["version"]?.text
      isSimulated = status["simulatedClock"] == .boolean(true)
      time = (now, clock.now)
      return now
    }
    if let time { return later(time) }
    var own = timespec()
    clock_gettime(CLOCK_REALTIME, &own)
    return Instant(milliseconds: Int64(own.tv_sec) * 1000 + Int64(own.tv_nsec) / 1_000_000)
  }

  private func later(_ time: (now: Instant, at: ContinuousClock.Instant)) -> Instant {
    guard !isSimulated else { return time.now }
    let (seconds, attoseconds) = (clock.now - time.at).components
    return Instant(milliseconds: time.now.milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }

  private func offsets(of given: String?, now: Instant) async -> PageZone {
    let name = if let given { given } else { await defaultName() }
    if name == PageZone.utc.name { return .utc }
    if let known = zones[name], clock.now - known.at < Self.zoneFor { return known.offsets }
    let half = Self.zoneDays * 86_400
    let spans = [(now.advanced(bySeconds: -half), now), (now, now.advanced(bySeconds: half))].map { from, to in
      Ask("zone.offsets", ["zone": .text(name), "from": .text(from.text), "to": .text(to.text)])
    }
    let replies = await link.replies(to: Set(spans))
    let rows = spans.compactMap { replies[$0]?.answer?["offsets"]?.elements }
    guard rows.count == spans.count,
      let offsets = PageZone(
        ["zone": .text(name), "offsets": .array(rows.flatMap { $0 })], until: now.advanced(bySeconds: half))
    else { return .utc(insteadOf: name) }
    if zones.count >= RelayLimits.zonesMax { zones = [:] }
    zones[name] = (offsets, clock.now)
    return offsets
  }

  private func defaultName() async -> String {
    if let zoneName { return zoneName }
    if let racingZone, clock.now - racingZone.at < Self.settingFor { return racingZone.name }
    let settings = await link.reply(to: Ask("settings")).answer?.elements ?? []
    guard let name = settings.first(where: { $0["key"]?.text == Self.defaultZone })?["value"]?.text else {
      return PageZone.utc.name
    }
    racingZone = (name, clock.now)
    return name
  }
}

extension DaemonLink {
  func reply(to ask: Ask) async -> Reply { await replies(to: [ask])[ask] ?? .missing }
}
