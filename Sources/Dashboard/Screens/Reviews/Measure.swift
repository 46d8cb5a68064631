import TextCoding

/// Distances, times and places of an activity, as the provider has them: never money.
enum Measure {
  /// Of metres: `10.40 km`.
  static func distance(_ metres: Double?) -> String {
    guard let hundredths = scaled(metres, 0.1) else { return "" }
    return Amount.hundredths(hundredths) + " km"
  }

  /// Of seconds: `41:19`.
  static func seconds(_ seconds: Double?) -> String {
    guard let whole = scaled(seconds, 1) else { return "" }
    return String(Amount.clock(milliseconds: whole &* 1_000).dropLast(4))
  }

  /// Of metres a second.
  static func speed(_ speed: Double?) -> String {
    guard let thousandths = scaled(speed, 1_000) else { return "" }
    return Amount.thousandths(thousandths) + " m/s"
  }

  static func place(_ place: JSONValue?) -> String {
    guard let place, let latitude = scaled(place.measure("latitude"), 1_000),
      let longitude = scaled(place.measure("longitude"), 1_000)
    else { return "" }
    return "\(Amount.thousandths(latitude))° \(Amount.thousandths(longitude))°"
  }

  /// nil beyond a million million, which no activity has.
  private static func scaled(_ value: Double?, _ factor: Double) -> Int64? {
    guard let value, abs(value) < 1e12 else { return nil }
    return Int64((value * factor).rounded())
  }
}
