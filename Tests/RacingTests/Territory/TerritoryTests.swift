import Foundation
import TestSupport
import Testing

@testable import Racing

@Suite("The territory")
struct TerritoryTests {
  @Test(arguments: [
    ("Belfast", 54.5973, -5.9301, true), ("Derry", 54.9966, -7.3086, true),
    ("Enniskillen", 54.3448, -7.6384, true), ("Newry", 54.1751, -6.3402, true),
    ("Lerwick", 60.1530, -1.1493, true), ("Stornoway", 58.2090, -6.3870, true),
    ("Penzance", 50.1188, -5.5376, true), ("Dover", 51.1279, 1.3134, true),
    ("Lowestoft", 52.4759, 1.7520, true), ("St Mary's", 49.9146, -6.3150, true),
    ("London", 51.5074, -0.1278, true), ("the middle of Loch Ness", 57.3229, -4.4244, true),
    ("Dublin", 53.3498, -6.2603, false), ("Cork", 51.8985, -8.4756, false),
    ("Dundalk", 54.0040, -6.4040, false), ("Douglas", 54.1500, -4.4814, false),
    ("Dieppe", 49.9220, 1.0780, false), ("Boulogne", 50.7264, 1.6147, false),
    ("Calais", 50.9513, 1.8587, false), ("Jersey", 49.1868, -2.1066, false),
    ("nowhere", 0, 0, false), ("the north pole", 90, 0, false), ("London's antipode", -51.5, 179.9, false),
  ])
  func `the territory contains the towns of the rules and excludes the others`(
    name: String, latitude: Double, longitude: Double, isInside: Bool
  ) {
    #expect(Territory.unitedKingdom.contains(latitude: latitude, longitude: longitude) == isInside, "\(name)")
  }

  @Test func `the territory agrees with winding angles at random points`() {
    let territory = Territory.unitedKingdom
    var random = SeededGenerator()
    var inside = 0
    for _ in 0..<1000 {
      let point = Location(
        latitude: .random(in: 49...61.5, using: &random), longitude: .random(in: -9.5...2.5, using: &random))
      let expected = territory.polygons.contains { polygon in
        polygon.rings.enumerated().allSatisfy { Self.winds(around: point, $1) == ($0 == 0) }
      }
      #expect(territory.contains(point) == expected, "\(random) \(point)")
      inside += expected ? 1 : 0
    }
    #expect((100..<900).contains(inside), "\(random)")
  }

  @Test func `the territory has holes, and refuses numbers that are not coordinates`() throws {
    let square = "[[[0,0],[0,9],[9,9],[9,0],[0,0]],[[3,3],[3,6],[6,6],[6,3],[3,3]]]"
    let text = #"{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":[\#(square)]}}"#
    let territory = try #require(Territory(geoJSON: text))
    #expect(territory.contains(latitude: 1, longitude: 1))
    #expect(territory.contains(latitude: 3, longitude: 1))  // A ray through the corners of the hole.
    #expect(!territory.contains(latitude: 4, longitude: 5))
    #expect(territory.contains(latitude: 4, longitude: 7))
    #expect(!territory.contains(latitude: 10, longitude: 5))
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(!territory.contains(latitude: number, longitude: 1))
      #expect(!territory.contains(latitude: 1, longitude: number))
    }
  }

  @Test(arguments: [
    "", "{}", #"{"geometry":{"type":"Polygon","coordinates":[[[[0,0],[0,9],[9,9]]]]}}"#,
    #"{"geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[0,9]]]]}}"#,
    #"{"geometry":{"type":"MultiPolygon","coordinates":[[]]}}"#,
    #"{"geometry":{"type":"MultiPolygon","coordinates":[[[[0,0],[0],[9,9]]]]}}"#,
  ])
  func `the territory is not made from a broken file`(text: String) {
    #expect(Territory(geoJSON: text) == nil)
  }

  /// Whether the ring turns around the point: the angles to its corners sum to a full turn, or to nothing.
  private static func winds(around point: Location, _ ring: [Location]) -> Bool {
    let angles = ring.map { atan2($0.latitude - point.latitude, $0.longitude - point.longitude) }
    let turns = zip(angles, angles.dropFirst() + angles.prefix(1)).map { remainder($1 - $0, 2 * .pi) }
    return abs(turns.reduce(0, +)) > .pi
  }
}
