import TextCoding

/// Times of a node, all of which are of the real clock.
enum NodeTimes {
  /// How long it runs, by its own instants: the page's present may be simulated.
  static func up(_ node: JSONValue) -> String {
    guard let started = node.instant("startedAt"), let seen = node.instant("lastSeenAt") else { return "" }
    let (span, overflow) = (seen.milliseconds - started.milliseconds)
      .addingReportingOverflow(max(0, node.whole("silentMs") ?? 0))
    return overflow ? "" : Amount.duration(milliseconds: max(0, span))
  }
}
