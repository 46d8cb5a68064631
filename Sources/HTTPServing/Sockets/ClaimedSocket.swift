import Glibc

/// A socket that nobody else serves, not yet open. Its files are removed with the last reference.
final class ClaimedSocket {
  private let source: SocketSource
  private var file: SocketFile?
  private var address: AddressSocket?

  init(_ site: Site) throws(ServingError) {
    source = site.source
    switch source {
    case .descriptor(let number): try InheritedSocket.check(number, allowsInternet: site.allowsInternet)
    case .path(let path): file = try SocketFile(claiming: path)
    case .address(let host, let port): address = try AddressSocket(claiming: host, port: port)
    }
  }

  /// The listening descriptor.
  func open(mode: mode_t, group: UInt32?) throws(ServingError) -> Int32 {
    if case .descriptor(let number) = source { return number }
    if let descriptor = try file?.open(mode: mode, group: group) { return descriptor }
    guard let descriptor = try address?.open() else { preconditionFailure("no socket was claimed at \(source.name)") }
    return descriptor
  }
}
