import Synchronization

/// The room for the bodies of all requests of one socket, while they are read and worked on.
final class BodyBudget: Sendable {
  private let bytesMax: Int
  private let gauges: ServingGauges?
  private let bytes = Mutex(0)

  init(bytesMax: Int, _ gauges: ServingGauges?) {
    self.bytesMax = bytesMax
    self.gauges = gauges
  }

  /// Whether so many bytes more have room; they count until `giveBack`.
  func take(_ count: Int) -> Bool {
    bytes.withLock { bytes in
      guard bytes + count <= bytesMax else { return false }
      bytes += count
      gauges?.setBodyBytes(bytes)
      return true
    }
  }

  func giveBack(_ count: Int) {
    bytes.withLock { bytes in
      bytes -= count
      gauges?.setBodyBytes(bytes)
    }
  }
}
