import Engine
import ControlServer
import Logging
import Synchronization

/// The control server's observations as journal entries: refusals and bugs loudly, answers quietly.
///
/// Events that any caller can cause at will are logged once for each user and minute, with a count of the rest.
final class ControlLog: Sendable {
  private let logger: Logger
  private let time: Timekeeper
  private let limiter = Mutex(LineLimiter())

  init(_ logger: Logger, time: Timekeeper) {
    self.logger = logger
    self.time = time
  }

  func note(_ observation: ControlObservation) {
    switch observation {
    case .listening(let socket): logger.info("listening on a socket", metadata: ["socket": "\(socket)"])
    case .denied(let uid, let gid, let pid, let command):
      warn(
        "a caller was denied", uid: uid,
        ["gid": "\(gid)", "pid": "\(pid)", "command": "\(command ?? "-")"])
    case .answered(let command, let status, let uid, let pid):
      logger.debug(
        "a command was answered",
        metadata: ["command": "\(command)", "status": "\(status)", "uid": "\(uid)", "pid": "\(pid)"])
    case .connectionRefused(let socket, let uid): warn("too many connections", uid: uid, ["socket": "\(socket)"])
    case .timedOut(let request): warn("a request took too long", uid: nil, ["request": "\(request)"])
    case .unexpected(let command, let error):
      logger.error("a command failed because of a bug", metadata: ["command": "\(command)", "error": "\(error)"])
    }
  }

  private func warn(_ text: String, uid: UInt32?, _ more: Logger.Metadata) {
    tellLeftOut()
    guard limiter.withLock({ $0.admits(text, uid: uid, now: time.now()) }) else { return }
    logger.warning("\(text)", metadata: uid.map { more.merging(["uid": "\($0)"]) { own, _ in own } } ?? more)
  }

  /// Reports the lines that were left out. Call it regularly, so that the report follows the flood.
  func tellLeftOut() {
    for leftOut in limiter.withLock({ $0.end(now: time.now()) }) {
      logger.warning(
        "repeated log lines were suppressed",
        metadata: [
          "what": "\(leftOut.kind.text)", "uid": "\(leftOut.kind.uid.map(String.init) ?? "any")",
          "count": "\(leftOut.count)",
        ])
    }
  }
}
