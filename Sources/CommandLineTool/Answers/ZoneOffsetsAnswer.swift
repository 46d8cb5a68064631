/// The UTC offsets of a time zone.
struct ZoneOffsetsAnswer: ShownAnswer {
  struct Offset: Decodable {
    let from: String
    let offsetSeconds: Int64
    let abbreviation: String

    /// `+05:30`.
    var text: String {
      let parts = [abs(offsetSeconds) / 3600, abs(offsetSeconds) / 60 % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
      return (offsetSeconds < 0 ? "-" : "+") + parts.joined(separator: ":")
    }
  }

  let offsets: [Offset]

  func text(_ style: Style) -> String {
    Table(
      columns: [.left("FROM"), .right("OFFSET"), .left("ABBREVIATION")],
      rows: offsets.map { Table.Row([Instants.text($0.from), $0.text, $0.abbreviation]) }
    ).text(style)
  }
}
