/// A JSON key in words, as the left side of a pair: `platformFeePence` is shown as `platform fee`.
///
/// The value shows the unit, so `Pence`, `At` and `Id` are left out at the end.
enum Label {
  private static let units = ["Pence", "At", "Id"]

  static func text(_ key: String) -> String {
    let unit = units.first { key.hasSuffix($0) && key.count > $0.count } ?? ""
    return key.dropLast(unit.count).reduce(into: "") { words, letter in
      words += letter.isUppercase ? " " + letter.lowercased() : String(letter)
    }
  }
}
