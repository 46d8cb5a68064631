import Glibc

/// A socket that nobody else serves, not yet open.
struct ClaimedSocket: ~Copyable {
  private let source: SocketSource
  private var file: SocketFile?

  init(_ source: SocketSource) throws(ControlServerError) {
    self.source = source
    switch source {
    case .descriptor(let number): try InheritedSocket.check(number)
    case .path(let path): file = try SocketFile(claiming: path)
    }
  }

  /// The listening descriptor.
  mutating func open(mode: mode_t, group: UInt32?) throws(ControlServerError) -> Int32 {
    switch source {
    case .descriptor(let number): return number
    case .path(let path):
      guard let descriptor = try file?.open(mode: mode, group: group) else { preconditionFailure("no file at \(path)") }
      return descriptor
    }
  }
}
