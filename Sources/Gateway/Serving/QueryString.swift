import ControlAPI
import TextCoding

/// The query of a request: names and values, decoded. A plus is a space, as forms write it.
struct QueryString {
  let pairs: [(name: String, value: String)]
  let values: [String: String]

  private static let pairsMax = 64

  /// Throws 400 where it is not percent-encoded UTF-8, has a NUL, or a name twice.
  init(_ text: Substring?) throws(GatewayError) {
    var pairs: [(name: String, value: String)] = []
    var values: [String: String] = [:]
    for piece in (text ?? "").split(separator: "&") {
      let sides = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(sides[0]), let value = Self.decode(sides.count > 1 ? sides[1] : "") else {
        throw .encoding
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw GatewayError(400, rule: "query", "a query parameter is duplicated")
      }
      pairs.append((name, value))
      guard pairs.count <= Self.pairsMax else {
        throw GatewayError(400, rule: "query", "the query has more than \(Self.pairsMax) parameters")
      }
    }
    self.pairs = pairs
    self.values = values
  }

  private static func decode(_ text: Substring) -> String? {
    guard let decoded = PercentCoding.decode(String(text.map { $0 == "+" ? " " : $0 })), !decoded.utf8.contains(0)
    else { return nil }
    return decoded
  }
}
