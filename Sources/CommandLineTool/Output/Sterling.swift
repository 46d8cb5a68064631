/// Pence as pounds: `£1,234.56`.
enum Sterling {
  static func text(_ pence: Int64) -> String {
    let magnitude = pence.magnitude
    var pounds = String(magnitude / 100)
    var index = pounds.count - 3
    while index > 0 {
      pounds.insert(",", at: pounds.index(pounds.startIndex, offsetBy: index))
      index -= 3
    }
    let rest = magnitude % 100
    return (pence < 0 ? "-" : "") + "£" + pounds + (rest < 10 ? ".0" : ".") + String(rest)
  }
}
