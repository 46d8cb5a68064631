/// A request's head: all that is known before its body.
struct Asked: Sendable {
  let method: String
  /// Path and query, as they came.
  let target: String
  let requestIds: [String]

  /// What stands before the first question mark.
  var path: Substring { target.prefix { $0 != "?" } }

  /// What stands behind it; nil where there is none.
  var query: Substring? {
    let path = path
    return path.endIndex == target.endIndex ? nil : target[target.index(after: path.endIndex)...]
  }
}

/// What a handler makes of a head: an answer at once, or work that wants the body.
enum Reception: Sendable {
  case settled(Answer)
  case wanted(@Sendable ([UInt8]) async -> Answer)
}

/// What answers the requests of one socket.
protocol Handler: Sendable {
  func standing(of peer: Peer) -> Standing
  func receive(_ asked: Asked, from peer: Peer) -> Reception
}
