import TestSupport
import Testing

@testable import Racing

@Suite("A track") struct TrackTests {
  /// The encoding as its publisher describes it.
  private static func encoded(_ points: [Polyline.Point]) -> String {
    var (text, last) = ("", Polyline.Point(latitude: 0, longitude: 0))
    for point in points {
      for difference in [point.latitude - last.latitude, point.longitude - last.longitude] {
        var bits = difference < 0 ? ~(difference << 1) : difference << 1
        while bits >= 0x20 {
          text.unicodeScalars.append(Unicode.Scalar(UInt8((bits & 0x1f) | 0x20) + 63))
          bits >>= 5
        }
        text.unicodeScalars.append(Unicode.Scalar(UInt8(bits) + 63))
      }
      last = point
    }
    return text
  }

  @Test func `the published example has its three points`() {
    let points = Array(Polyline("_p~iF~ps|U_ulLnnqC_mqNvxq`@"))
    #expect(points.map(\.latitude) == [3_850_000, 4_070_000, 4_325_200])
    #expect(points.map(\.longitude) == [-12_020_000, -12_095_000, -12_645_300])
  }

  @Test func `a decoded track is the one that was encoded, and thinned it keeps both ends in order`() {
    var random = SeededGenerator()
    for _ in 0..<200 {
      let count = Int.random(in: 0...60, using: &random)
      let points = (0..<count).map { _ in
        Polyline.Point(
          latitude: Int64.random(in: -9_000_000...9_000_000, using: &random),
          longitude: Int64.random(in: -18_000_000...18_000_000, using: &random))
      }
      let polyline = Polyline(Self.encoded(points))
      #expect(Array(polyline) == points, "\(random)")
      let max = Int.random(in: 2...40, using: &random)
      let thinned = polyline.thinned(to: max)
      #expect(thinned.count == count)
      #expect(thinned.points.count == min(count, max))
      #expect(thinned.points.first == points.first)
      #expect(thinned.points.last == points.last)
      #expect(thinned.points.isSubsequence(of: points))
    }
  }

  @Test(arguments: [
    ("", 0), ("mock", 0), ("_p~iF", 0), ("_p~iF~ps|U_ulL", 1), ("_p~iF~ps|U\u{e9}", 1), ("?? ??", 1),
    ("~~~~~~~~~~~~~~~~~~~~", 0), (String(repeating: "~", count: 1000), 0),
    (encoded([.init(latitude: 0, longitude: 0), .init(latitude: 9_000_001, longitude: 0)]), 1),
    (encoded([.init(latitude: 0, longitude: -18_000_001)]), 0),
  ]) func `a malformed track ends before the fault`(text: String, count: Int) {
    #expect(Polyline(text).thinned(to: 10).count == count)
    #expect(Array(Polyline(text)).count == count)
  }

  @Test func `thinned speeds keep the slowest and the fastest of all samples, in order`() throws {
    var random = SeededGenerator()
    for _ in 0..<200 {
      let count = Int.random(in: 0...300, using: &random)
      var (times, distances, time, distance): ([Int64], [Int64], Int64, Int64) = ([], [], 0, 0)
      for _ in 0..<count {
        time += Int64.random(in: 0...3, using: &random) * 500_000_000
        distance += Int64.random(in: 0...9_000_000_000, using: &random)
        times.append(time)
        distances.append(distance)
      }
      let streams = try #require(Streams(times: times, distances: distances))
      let all = streams.speeds(atMost: .max / 2)
      let max = Int.random(in: 2...100, using: &random)
      let thinned = streams.speeds(atMost: max)
      #expect(thinned.count <= max)
      #expect(thinned.map(\.mmPerSecond).max() == all.map(\.mmPerSecond).max(), "\(random)")
      #expect(thinned.map(\.mmPerSecond).min() == all.map(\.mmPerSecond).min())
      #expect(thinned.map(\.milliseconds) == thinned.map(\.milliseconds).sorted())
      #expect(thinned.isSubsequence(of: all))
    }
  }

  @Test func `speeds beyond any number are cut, and those at one instant are left out`() throws {
    let streams = try #require(Streams(times: [0, 0, 1, 1], distances: [0, 5, .max, .max]))
    #expect(streams.speeds(atMost: 10).map(\.mmPerSecond) == [.max])
    #expect(try #require(Streams(times: [], distances: [])).speeds(atMost: 10) == [])
    #expect(try #require(Streams(times: [5], distances: [5])).speeds(atMost: 10) == [])
  }

  @Test func `the best stretch says where it begins`() throws {
    let streams = try #require(
      Streams(times: [0, 10, 12, 30], distances: [0, 100, 200, 300]))
    #expect(streams.shortestStretch(over: 100) == .init(start: 100, time: 2))
    #expect(streams.shortestStretch(over: 150) == .init(start: 50, time: 7))
    #expect(streams.shortestStretch(over: 301) == nil)
  }
}

extension Array where Element: Equatable {
  fileprivate func isSubsequence(of other: [Element]) -> Bool {
    var rest = other[...]
    for element in self {
      guard let place = rest.firstIndex(of: element) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }
}
