import Engine
import NIOHTTP1

/// The provider's limits of calls: 15 minutes and a day, for the whole application.
enum ProviderLimits {
  static let quarter: Duration = .seconds(900)
  static let day: Duration = .seconds(86400)

  /// Tokens: of each window some calls are left to exchanges of codes, because somebody waits for these.
  static let tokens = CallBudget(
    "strava", windows, reserve: 10)

  /// Reads have limits of their own, and count among all calls, too: of these they leave a quarter to tokens.
  static let reads = CallBudget(
    "strava-reads",
    [.init(quarter, limit: "strava.read_limit_15min"), .init(day, limit: "strava.read_limit_day")],
    within: CallBudget("strava", windows, reserve: .max))

  /// The reads of a class: all for results that are due, and shares for the others, so that none keeps a better one
  /// from its own.
  static func reads(of readClass: Int64) -> CallBudget {
    switch readClass {
    case 0: reads
    case 1: claims
    default: others
    }
  }

  /// A quarter is left to results, however many claims and hints wait.
  private static let claims = reads.share(quarters: 3, as: "strava-reads-claims")
  /// Claims of strangers, and hints. Two of the three quarters are left to entrants.
  private static let others = claims.share(quarters: 1, as: "strava-reads-others")

  private static let windows: [CallBudget.Window] = [
    .init(quarter, limit: "strava.limit_15min"), .init(day, limit: "strava.limit_day"),
  ]

  /// The form of the headers: "200,2000" in each, first of 15 minutes, then of the day.
  ///
  /// - Parameter name: `X-RateLimit` of all calls, `X-ReadRateLimit` of reads.
  static func usage(_ headers: HTTPHeaders, _ name: String = "X-RateLimit") -> [CallBudget.WindowUsage] {
    guard let used = numbers(headers.first(name: "\(name)-Usage")) else { return [] }
    let limits = numbers(headers.first(name: "\(name)-Limit"))
    return [
      CallBudget.WindowUsage(quarter, used: used.0, limit: limit(limits?.0)),
      CallBudget.WindowUsage(day, used: used.1, limit: limit(limits?.1)),
    ]
  }

  /// A limit of nothing could never be taken back, because no call would be made.
  private static func limit(_ stated: Int64?) -> Int64? { stated.flatMap { $0 > 0 ? $0 : nil } }

  private static func numbers(_ header: String?) -> (Int64, Int64)? {
    let parts = (header ?? "").split(separator: ",").map { Int64($0.filter { $0 != " " }) }
    guard parts.count == 2, let first = parts[0], let second = parts[1], first >= 0, second >= 0,
      max(first, second) <= 1_000_000_000
    else { return nil }
    return (first, second)
  }
}
