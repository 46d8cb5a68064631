import Glibc

/// An internet socket: bound first, so that nobody else can take its address, and open to callers second.
struct AddressSocket: ~Copyable {
  private let descriptor: Int32
  private let name: String
  private var isGiven = false

  /// Throws `.inUse` where another process listens there, `.badAddress` where the address is none of this machine.
  init(claiming host: String, port: UInt16) throws(ServingError) {
    let name = SocketSource.address(host, port: port).name
    guard let address = InternetAddress(host, port: port) else {
      throw ServingError(.badAddress, "\(name) is not a numeric address with a port")
    }
    let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    let descriptor = socket(address.family, Int32(flags), 0)
    guard descriptor >= 0 else { throw .system("cannot create a socket for \(name)") }
    // Connections of an earlier process that still end must not keep the address.
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard address.with({ bind(descriptor, $0, $1) }) == 0 else {
      let code = errno
      close(descriptor)
      switch code {
      case EADDRINUSE: throw .inUse(name)
      case EADDRNOTAVAIL: throw ServingError(.badAddress, "\(name) is not an address of this machine")
      default: throw .system("cannot use \(name)", code)
      }
    }
    self.descriptor = descriptor
    self.name = name
  }

  /// The listening descriptor, which is the caller's from now on.
  mutating func open() throws(ServingError) -> Int32 {
    // With SO_REUSEADDR two processes may bind, and the second one is refused here.
    guard listen(descriptor, Self.backlog) == 0 else {
      if errno == EADDRINUSE { throw .inUse(name) }
      throw .system("cannot listen on \(name)")
    }
    isGiven = true
    return descriptor
  }

  deinit {
    if !isGiven { close(descriptor) }
  }

  /// Connections that wait to be accepted; the system has a limit of its own (net.core.somaxconn).
  private static let backlog: Int32 = 1024
}
