/// The points of an encoded polyline, one after the other, in hundred-thousandths of a degree.
///
/// The encoding is that of map services: each coordinate as the difference to the one before, in groups of five bits.
/// The points end before the first one that is malformed, or not on Earth.
struct Polyline: Sequence {
  struct Point: Hashable, Sendable {
    let latitude: Int64
    let longitude: Int64
  }

  let text: String

  init(_ text: String) {
    self.text = text
  }

  func makeIterator() -> Iterator { Iterator(bytes: text.utf8.makeIterator()) }

  /// At most `max` of the points, evenly among all, the first and the last one included; and how many there are.
  ///
  /// Two passes, so that a track of any length takes no more memory than its answer.
  func thinned(to max: Int) -> (points: [Point], count: Int) {
    let count = reduce(0) { sum, _ in sum + 1 }
    guard count > max, max > 1 else { return (Array(self), count) }
    var points: [Point] = []
    for (index, point) in enumerated() where index == points.count * (count - 1) / (max - 1) { points.append(point) }
    return (points, count)
  }

  struct Iterator: IteratorProtocol {
    fileprivate var bytes: String.UTF8View.Iterator
    private var latitude: Int64 = 0
    private var longitude: Int64 = 0

    fileprivate init(bytes: String.UTF8View.Iterator) {
      self.bytes = bytes
    }

    mutating func next() -> Point? {
      guard let north = difference(), let east = difference() else { return nil }
      latitude += north
      longitude += east
      guard abs(latitude) <= 9_000_000, abs(longitude) <= 18_000_000 else { return nil }
      return Point(latitude: latitude, longitude: longitude)
    }

    /// Nil at the end, and always after malformed input.
    private mutating func difference() -> Int64? {
      var bits: Int64 = 0
      var shift: Int64 = 0
      while let byte = bytes.next() {
        guard (63...126).contains(byte), shift <= 30 else { break }
        let group = Int64(byte) - 63
        bits |= (group & 0x1f) << shift
        shift += 5
        if group < 0x20 { return bits & 1 == 1 ? ~(bits >> 1) : bits >> 1 }
      }
      bytes = "".utf8.makeIterator()
      return nil
    }
  }
}
