import Engine
import FoundationEssentials
import TextCoding
import Postgres

/// An activity as the provider shows it in a list, and in its answer about one activity.
struct ActivitySummary: Decodable {
  struct Map: Decodable { let summaryPolyline: String? }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  let id: Int64
  let name: String
  let sportType: String?
  let type: String?
  let startDate: String
  let elapsedTime: Decimal
  let movingTime: Decimal
  let distance: Decimal
  let maxSpeed: Decimal?
  let startLatlng: [Decimal]?
  let endLatlng: [Decimal]?
  let map: Map?
  let flagged: Loose<Bool>?
  let visibility: Loose<String>?
  let `private`: Loose<Bool>?

  /// Nil where it has no id, or has what the database cannot hold.
  var json: JSONValue? {
    let texts = [name, sportType ?? "", type ?? "", startDate, map?.summaryPolyline ?? ""]
    guard id > 0, !texts.contains(where: { $0.utf8.contains(0) }) else { return nil }
    return [
      "stravaId": .integer(id), "name": .text(name), "activityType": text(sportType ?? type),
      "startDate": .text(startDate), "elapsedTime": number(elapsedTime), "movingTime": number(movingTime),
      "distance": number(distance), "maxSpeed": number(maxSpeed), "startLocation": location(startLatlng),
      "endLocation": location(endLatlng), "polyline": text(map?.summaryPolyline),
      "visibility": .text(shownTo), "flagged": .boolean(flagged?.value ?? false),
    ]
  }

  /// Who may see it. The provider's word for everyone counts only where it calls the activity not private as well.
  private var shownTo: String {
    let known = visibility?.value.flatMap { ["everyone", "followers_only"].contains($0) ? $0 : nil }
    return `private`?.value == true ? "only_me" : known ?? "only_me"
  }

  private func text(_ value: String?) -> JSONValue { value.map(JSONValue.text) ?? .null }

  /// Exactly as it was written: never by way of a binary number.
  private func number(_ value: Decimal?) -> JSONValue {
    guard let value, value.isFinite else { return .null }
    return .raw(JSON(text: value.description))
  }

  /// The provider sends an empty list where there is none.
  private func location(_ pair: [Decimal]?) -> JSONValue {
    guard let pair, pair.count == 2 else { return .null }
    return ["latitude": number(pair[0]), "longitude": number(pair[1])]
  }
}

/// A value that may have any form: what cannot be read is as if it were absent.
struct Loose<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}
