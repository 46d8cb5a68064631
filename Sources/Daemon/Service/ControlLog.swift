import ControlServer
import Logging

/// What the control server observes, as journal entries: refusals and bugs loudly, answers quietly.
struct ControlLog: Sendable {
  private let logger: Logger

  init(_ logger: Logger) {
    self.logger = logger
  }

  @Sendable func callAsFunction(_ observation: ControlObservation) {
    switch observation {
    case .listening(let socket): logger.info("listening on a socket", metadata: ["socket": "\(socket)"])
    case .denied(let uid, let gid, let pid, let command):
      logger.warning(
        "a caller was denied",
        metadata: ["uid": "\(uid)", "gid": "\(gid)", "pid": "\(pid)", "command": "\(command ?? "-")"])
    case .answered(let command, let status, let uid, let pid):
      logger.debug(
        "a command was answered",
        metadata: ["command": "\(command)", "status": "\(status)", "uid": "\(uid)", "pid": "\(pid)"])
    case .connectionRefused(let socket, let uid):
      logger.warning("too many connections", metadata: ["socket": "\(socket)", "uid": "\(uid)"])
    case .timedOut(let request): logger.warning("a request took too long", metadata: ["request": "\(request)"])
    case .unexpected(let command, let error):
      logger.error("a command met a bug", metadata: ["command": "\(command)", "error": "\(error)"])
    }
  }
}
