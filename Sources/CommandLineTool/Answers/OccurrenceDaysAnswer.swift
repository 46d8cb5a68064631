/// The number of ticks for each day and outcome.
struct OccurrenceDaysAnswer: ShownAnswer {
  struct Day: Decodable {
    let day: String
    let done: Int
    let failed: Int
    let missed: Int
    let skipped: Int
    let running: Int
    let planned: Int
  }

  let days: [Day]

  func text(_ style: Style) -> String {
    let isMissed = days.contains { $0.missed > 0 }
    return Table(
      columns: [
        .left("DAY"), .right("DONE"), .right("FAILED"), .right("MISSED"), .right("SKIPPED"), .right("RUNNING"),
        .right("PLANNED"),
      ],
      rows: days.map { day in
        let counts = [day.done, day.failed, day.missed, day.skipped, day.running, day.planned]
        return Table.Row([day.day] + counts.map(Counted.dashed), colour: day.failed > 0 ? .red : nil)
      }
    ).text(style) + (isMissed ? "\n\nmissed: planned more than 60 s late, and then coalesced or skipped" : "")
  }
}
