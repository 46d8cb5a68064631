import TextCoding

/// A request whose body has come.
struct RelayRequest: Sendable {
  var approach: Approach
  /// The names and values of the query; of one name the last.
  var query: [String: String]
  var body: [UInt8]

  /// Nil where a name or a value is not percent-encoded UTF-8.
  static func query(of target: some StringProtocol) -> [String: String]? {
    guard let mark = target.firstIndex(of: "?") else { return [:] }
    var query: [String: String] = [:]
    for item in target[target.index(after: mark)...].split(separator: "&") {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { PercentCoding.decode(String($0.map { $0 == "+" ? " " : $0 })) }
      guard let name = pair[0], let value = pair.count == 2 ? pair[1] : "" else { return nil }
      query[name] = value
    }
    return query
  }
}
