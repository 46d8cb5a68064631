import Schema
import Testing

@Suite("The folders of sql/functions") struct SchemaDirectionTests {
  /// Each module's folder, and the schemas that its SQL may name: its own, and those beneath it.
  private static let directions: [String: Set<String>] = [
    "1-settled": ["settled"], "2-strava": ["settled", "strava"], "3-racing": ["settled", "strava", "racing"],
    "4-checkins": ["settled", "checkins"], "5-seasons": ["settled", "seasons"],
    "6-achievements": ["settled", "achievements"], "7-accounts": ["settled", "accounts"],
    "8-gateway": [
      "settled", "strava", "racing", "checkins", "seasons", "achievements", "accounts", "gateway",
    ],
  ]

  private static func folder(_ file: Schema.File) -> String? {
    let parts = file.path.split(separator: "/")
    return parts.count == 3 ? String(parts[1]) : nil
  }

  @Test func `folders of sql/functions name no schema of a later folder`() throws {
    let schemas = Self.directions.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    #expect(Set(Schema.functions.compactMap(Self.folder)) == Set(Self.directions.keys))
    #expect(Schema.schemas.first == "settled" && Set(Schema.schemas) == schemas)
    for file in Schema.functions {
      guard let folder = Self.folder(file), let allowed = Self.directions[folder] else { continue }
      let named = schemas.filter { file.text.contains("\($0).") || file.text.contains("('\($0)'") }
      #expect(named.isSubset(of: allowed), "\(file.path)")
    }
  }

  @Test func `folders of sql/functions are applied in order, each with its rights last`() {
    let folders = Schema.functions.map { Self.folder($0) ?? "" }
    #expect(folders == folders.sorted())
    for folder in Self.directions.keys {
      let last = Schema.functions.last { Self.folder($0) == folder }
      #expect(last?.path == "functions/\(folder)/tables.sql")
    }
  }
}
