internal import CSystemd
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The unix datagram socket on which the manager hears `VARIABLE=value` lines (sd_notify(3)).
///
/// Sending never waits. What a manager with a full queue does not take is kept, the newest value of each variable, and
/// follows from a thread of its own.
final class NotifySocket: Sendable {
  private enum Outcome {
    case sent, full, failed
  }

  private struct State {
    /// The assignments that the manager has not taken, oldest first: one of each variable at most.
    var waiting: [String] = []
    var isDelivering = false
  }

  /// The path; an abstract address begins with a zero byte.
  private let path: [UInt8]
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "settled.notify")

  /// How long the thread waits for room before it looks at what is to be sent.
  private static let deliverySeconds = 1

  /// Nil for an address that is neither an absolute path nor abstract (`@name`), or that is too long for a socket.
  init?(_ address: String) {
    var path = Array(address.utf8)
    guard path.count > 1, path.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    switch path[0] {
    case UInt8(ascii: "@"): path[0] = 0
    case UInt8(ascii: "/"): break
    default: return nil
    }
    self.path = path
  }

  /// Sends one datagram of assignments, or keeps them for later; false where nobody listens.
  func send(_ assignments: [String]) -> Bool {
    state.withLock { state in
      if state.waiting.isEmpty {
        switch transmit(assignments, waits: false) {
        case .sent: return true
        case .failed: return false
        case .full: break
        }
      }
      for assignment in assignments {
        state.waiting.removeAll { Self.variable($0) == Self.variable(assignment) }
        state.waiting.append(assignment)
      }
      if !state.isDelivering {
        state.isDelivering = true
        queue.async { self.deliver() }
      }
      return true
    }
  }

  private static func variable(_ assignment: String) -> Substring { assignment.prefix { $0 != "=" } }

  /// Sends what waits as one datagram, as soon as there is room.
  private func deliver() {
    while let next = nextToDeliver() {
      let outcome = transmit(next, waits: true)
      state.withLock { state in
        switch outcome {
        case .sent: state.waiting.removeAll { next.contains($0) }
        case .failed: state.waiting = []
        case .full: break
        }
      }
    }
  }

  private func nextToDeliver() -> [String]? {
    state.withLock { state in
      state.isDelivering = !state.waiting.isEmpty
      return state.isDelivering ? state.waiting : nil
    }
  }

  /// A socket per message, so that there is nothing to keep or to close in order.
  private func transmit(_ assignments: [String], waits: Bool) -> Outcome {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .failed }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: Self.deliverySeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))

    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let isPath = path[0] != 0
    let length = MemoryLayout<sa_family_t>.size + path.count + (isPath ? 1 : 0)
    let message = Array(assignments.joined(separator: "\n").utf8)
    let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(descriptor, message, message.count, flags, address, socklen_t(length))
      }
    }
    if sent == message.count { return .sent }
    return [EAGAIN, EWOULDBLOCK, EINTR, ENOBUFS].contains(errno) ? .full : .failed
  }
}
