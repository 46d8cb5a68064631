import FoundationEssentials

/// An area on the map, made of polygons with holes.
///
/// On a boundary either answer may be given: the data are exact to 100 m.
package struct Territory: Sendable {
  let polygons: [Polygon]

  /// The United Kingdom with its territorial sea, parsed once from the embedded file (its notice is inside).
  ///
  /// Source: Racing.docc/Activities.md, "Validation". The file is part of the program, so that a broken one is a bug.
  package static let unitedKingdom: Territory = {
    let file = embeddedFiles.first { $0.path == "Territory/uk-territory.geojson" }
    guard let file, let territory = Territory(geoJSON: file.text) else {
      preconditionFailure("The embedded territory is missing or is not a GeoJSON multi-polygon.")
    }
    return territory
  }()

  /// Reads a GeoJSON feature whose geometry is a MultiPolygon (longitude first); nil for anything else.
  init?(geoJSON text: String) {
    guard
      let feature = try? JSONDecoder().decode(Feature.self, from: Data(text.utf8)),
      feature.geometry.type == "MultiPolygon"
    else { return nil }
    var polygons: [Polygon] = []
    for rings in feature.geometry.coordinates {
      guard
        rings.joined().allSatisfy({ $0.count >= 2 }),
        let polygon = Polygon(rings: rings.map { $0.map { Location(latitude: $0[1], longitude: $0[0]) } })
      else { return nil }
      polygons.append(polygon)
    }
    self.polygons = polygons
  }

  /// Whether the point lies inside; false for numbers that are not finite.
  package func contains(_ point: Location) -> Bool {
    polygons.contains { $0.contains(point) }
  }

  package func contains(latitude: Double, longitude: Double) -> Bool {
    contains(Location(latitude: latitude, longitude: longitude))
  }

  private struct Feature: Decodable {
    struct Geometry: Decodable {
      let type: String
      let coordinates: [[[[Double]]]]
    }
    let geometry: Geometry
  }
}
