import ConfigurationFiles
import HTTPServing

/// Every limit of the gateway, in one place; each has a key. Bytes, counts, and rates. Source: Gateway.docc/Limits.md.
package struct GatewayLimits: Sendable, Equatable {
  package var headerBytesMax = 16_384
  package var bodyBytesMax = 65_536
  package var activityBytesMax = 8_388_608
  package var bodiesBytesMax = 67_108_864
  package var jsonDepthMax = 32
  package var connectionsMax = 1024
  /// Of one address that does not belong to a proxy.
  package var connectionsPerAddressMax = 256
  package var idle: Duration = .seconds(30)
  package var head: Duration = .seconds(10)
  package var body: Duration = .seconds(30)
  /// How long a request may take once its body is there.
  package var request: Duration = .seconds(10)
  /// Connections to each database.
  package var poolSize = 16
  package var writesPerSecond = 20
  package var writesBurst = 40
  package var paymentsPerSecond = 200
  /// Requests of one identity that write and are under way at once.
  package var concurrentWrites = 4
  /// Imports of activities that are under way at once, of everybody.
  package var concurrentImports = 4
  package var flagsPerMinute = 10
  package var attemptsPerMinute = 10
  /// A hint of the provider, which has seven members. It has no key: nobody else sends one.
  static let hintBytesMax = 16_384
  /// How long a hint may take: the provider waits two seconds, part of which the network takes. It has no key.
  package var hint: Duration = .milliseconds(1500)
  /// Passwords that wait to be hashed.
  package var passwordQueue = 48

  package init() {}

  init(_ values: inout ConfigurationValues<GatewayKey>) {
    func number(_ key: GatewayKey, _ range: ClosedRange<Int>) -> Int {
      values.read(key, else: range.lowerBound) { values throws(ConfigurationError) in
        try values.integer(key, range)
      }
    }
    func seconds(_ key: GatewayKey) -> Duration { .seconds(number(key, 1...600)) }
    headerBytesMax = number(.headerBytesMax, 1024...65_536)
    bodyBytesMax = number(.bodyBytesMax, 1024...1_048_576)
    activityBytesMax = number(.activityBytesMax, 1024...67_108_864)
    bodiesBytesMax = number(.bodiesBytesMax, 65_536...1_073_741_824)
    jsonDepthMax = number(.jsonDepthMax, 4...128)
    connectionsMax = number(.connectionsMax, 1...100_000)
    connectionsPerAddressMax = number(.connectionsPerAddressMax, 1...100_000)
    idle = seconds(.idleSeconds)
    head = seconds(.headSeconds)
    body = seconds(.bodySeconds)
    request = seconds(.requestSeconds)
    poolSize = number(.poolSize, 1...200)
    writesPerSecond = number(.writesPerSecond, 1...1_000_000)
    writesBurst = number(.writesBurst, 1...1_000_000)
    paymentsPerSecond = number(.paymentsPerSecond, 1...1_000_000)
    concurrentWrites = number(.concurrentWrites, 1...200)
    concurrentImports = number(.concurrentImports, 1...200)
    flagsPerMinute = number(.flagsPerMinute, 1...1_000_000)
    attemptsPerMinute = number(.attemptsPerMinute, 1...1_000_000)
    passwordQueue = number(.passwordQueue, 1...1000)
  }

  func bodyBytesMax(_ limit: BodyLimit) -> Int {
    switch limit {
    case .usual: bodyBytesMax
    case .activity: activityBytesMax
    case .hint: min(bodyBytesMax, Self.hintBytesMax)
    }
  }

  /// Of the socket on which the systems are served.
  var serving: ServingLimits {
    var limits = ServingLimits()
    limits.bodyBytesMax = bodyBytesMax
    limits.bodiesBytesMax = bodiesBytesMax
    (limits.headerBytesMax, limits.headerFieldBytesMax) = (headerBytesMax, headerBytesMax)
    limits.connectionsMax = connectionsMax
    limits.connectionsPerSharerMax = min(connectionsPerAddressMax, connectionsMax)
    (limits.connectionsForOperators, limits.connectionsForAdmins, limits.connectionsForRoot) = (0, 0, 0)
    // One more is closed at once (Gateway.docc/Limits.md).
    limits.refusalsMax = 0
    limits.untakenBytesMax = bodiesBytesMax
    (limits.idleAtMost, limits.headAtMost, limits.bodyAtMost) = (idle, head, body)
    limits.requestAtMost = request
    return limits
  }
}

extension ConfigurationValues {
  /// A whole number within a range.
  fileprivate func integer(_ key: Key, _ range: ClosedRange<Int>) throws(ConfigurationError) -> Int {
    let text = try text(key) { text in
      Int(text).map(range.contains) == true
        ? nil : "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
    return Int(text) ?? range.lowerBound
  }
}
