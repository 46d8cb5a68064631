import Glibc

/// A numeric internet address with a port, as the system takes it.
struct InternetAddress {
  private let storage: sockaddr_storage
  private let length: socklen_t
  let family: Int32

  /// Nil where the text is no numeric address; no name is looked up.
  init?(_ address: String, port: UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard !address.isEmpty, getaddrinfo(address, String(port), &hints, &found) == 0, let found else { return nil }
    defer { freeaddrinfo(found) }
    guard let bytes = found.pointee.ai_addr, Int(found.pointee.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size
    else { return nil }
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { room in
      room.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: Int(found.pointee.ai_addrlen)))
    }
    self.storage = storage
    length = found.pointee.ai_addrlen
    family = found.pointee.ai_family
  }

  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }
}
