/// How often a cron expression would tick on each day.
struct ScheduleDaysAnswer: ShownAnswer {
  struct Day: Decodable {
    let day: String
    let ticks: Int
    let first: String?
    let last: String?
    let gaps: Int
    let folds: Int
  }

  let days: [Day]

  func text(_ style: Style) -> String {
    Table(
      columns: [.left("DAY"), .right("TICKS"), .left("FIRST"), .left("LAST"), .right("GAPS"), .right("FOLDS")],
      rows: days.map { day in
        Table.Row(
          [
            day.day, Counted.dashed(day.ticks), Instants.text(day.first), Instants.text(day.last),
            Counted.dashed(day.gaps), Counted.dashed(day.folds),
          ], colour: day.gaps + day.folds > 0 ? .yellow : nil)
      }
    ).text(style)
  }
}
