import ControlAPI

/// What several parts ask, so that one answer serves them all.
extension Ask {
  static let status = Ask("status")
  static let nodes = Ask("nodes")
  static let provider = Ask("strava.status")
  static let reviews = Ask("review.list")
  static let pendingWithdrawals = Ask("withdrawal.list", ["status": .text("pending"), "limit": .integer(200)])
}
