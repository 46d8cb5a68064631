/// Every limit of the relay, in one place.
enum RelayLimits {
  static let connectionsMax = 64
  static let headBytesMax = 16 * 1024
  static let headFieldsMax = 64
  /// Beyond it the parser gives up: so much of a head is held until it is whole.
  static let parsedHeadBytesMax = 32 * 1024
  static let bodyBytesMax = 64 * 1024
  /// Of the daemon, for one request.
  static let answerBytesMax = 4 * 1024 * 1024
  /// Asks of the daemon that run at a time, and those that wait.
  static let asksMax = 4
  static let waitingAsksMax = 200
  /// Happenings since a stream's last line; beyond it the page reads everything again.
  static let happeningsMax = 10_000
  /// Lines that a stream may be behind.
  static let linesMax = 64
  /// Of the happenings that a screen shows.
  static let shownHappeningsMax = 100
  static let zonesMax = 16
  /// Connections of other users, each of which gets one refusal.
  static let strangersMax = 8

  /// For a request's head and body, and for an idle connection.
  static let requestAtMost: Duration = .seconds(15)
  /// For an answer, or a line of a stream, to be taken.
  static let writeAtMost: Duration = .seconds(30)
  /// For a screen's parts, where the page names a time (`within`).
  static let pageAtMost: Duration = .seconds(60)
  /// For the daemon to answer a read that is not heavy, or a watch.
  static let answerAtMost: Duration = .seconds(20)
  /// For a reply to serve others who ask the same.
  static let freshFor: Duration = .seconds(1)
  /// After which a daemon that did not answer is asked again.
  static let silentFor: Duration = .seconds(2)
  /// After which a watch that was lost or refused begins again.
  static let lostEvery: Duration = .seconds(2)
  static let refusedEvery: Duration = .seconds(10)
  static let endsAfterIdle: Duration = .seconds(12 * 3600)
  static let tickEvery: Duration = .seconds(5)
}
