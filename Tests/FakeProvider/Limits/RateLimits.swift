/// How much of the windows is used, all calls together and reads by themselves.
///
/// The windows begin at full quarters of an hour and at midnight UTC. Refused calls count.
struct ProviderRateLimits {
  enum Kind: CaseIterable {
    case quarter, day, readQuarter, readDay

    static func of(isRead: Bool) -> [Kind] { isRead ? allCases : [.quarter, .day] }

    var seconds: Int64 {
      switch self {
      case .quarter, .readQuarter: 900
      case .day, .readDay: 86_400
      }
    }

    func limit(_ settings: Settings) -> Int {
      switch self {
      case .quarter: settings.limits.limit15
      case .day: settings.limits.limitDay
      case .readQuarter: settings.readLimits.limit15
      case .readDay: settings.readLimits.limitDay
      }
    }
  }

  /// One window of a kind, by its number.
  struct Notice: Hashable {
    let kind: Kind
    let number: Int64
  }

  private struct Window {
    var number: Int64
    var used = 0
  }

  private var windows: [Kind: Window] = [:]
  /// The windows that clients were told to be spent.
  private var sent: Set<Notice> = []

  /// Restarts the windows whose time is over.
  mutating func rotate(_ now: Int64) {
    for kind in Kind.allCases {
      let number = now / kind.seconds
      if windows[kind]?.number != number { windows[kind] = Window(number: number) }
    }
  }

  mutating func count(isRead: Bool) {
    for kind in Kind.of(isRead: isRead) { windows[kind]?.used += 1 }
  }

  func used(_ kind: Kind) -> Int { windows[kind]?.used ?? 0 }

  func isOver(_ settings: Settings, isRead: Bool) -> Bool {
    Kind.of(isRead: isRead).contains { used($0) > $0.limit(settings) }
  }

  func isKnownToBeSpent(isRead: Bool) -> Bool {
    Kind.of(isRead: isRead).contains { sent.contains(notice($0)) }
  }

  mutating func note(_ notices: Set<Notice>) { sent.formUnion(notices) }

  private func notice(_ kind: Kind) -> Notice { Notice(kind: kind, number: windows[kind]?.number ?? 0) }

  /// A bare 429 names the shorter window of such calls.
  private func bareNotice(isRead: Bool) -> Set<Notice> { [notice(isRead ? .readQuarter : .quarter)] }

  func refusedWithoutHeaders(isRead: Bool) -> ProviderResponse {
    var answer = ProviderResponse.limited
    answer.notices = bareNotice(isRead: isRead)
    return answer
  }

  /// Adds the headers to an answer, and what it tells by them or by its status.
  func labelled(_ plain: ProviderResponse, _ settings: Settings, isRead: Bool) -> ProviderResponse {
    var answer = plain
    guard settings.sendsHeaders else {
      if answer.status == 429 { answer.notices = bareNotice(isRead: isRead) }
      return answer
    }
    answer.headers += headers("X-RateLimit", .quarter, .day, settings)
    if isRead { answer.headers += headers("X-ReadRateLimit", .readQuarter, .readDay, settings) }
    let spent = Kind.of(isRead: isRead).filter { used($0) >= $0.limit(settings) }
    answer.notices = Set(spent.map(notice))
    return answer
  }

  private func headers(
    _ name: String, _ short: Kind, _ long: Kind, _ settings: Settings
  ) -> [(name: String, value: String)] {
    [
      (name + "-Limit", "\(short.limit(settings)),\(long.limit(settings))"),
      (name + "-Usage", "\(used(short)),\(used(long))"),
    ]
  }
}
