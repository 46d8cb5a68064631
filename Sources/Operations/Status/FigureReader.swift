package import Engine
package import Postgres
import Synchronization

/// The last reading of the database's figures.
///
/// A caller gets the last reading and never waits for the database. A call starts a new reading if the last one is old,
/// so a node that is not scraped runs no queries.
package final class FigureReader: Sendable {
  package struct Reading: Sendable {
    package let figure: Figure
    package let values: [(name: String, value: Double)]
  }

  private struct State {
    var readings: [Reading] = []
    var readAt: Duration?
    var startedAt: Duration?
    var isReading = false
  }

  /// How old figures must be before they are read again.
  private static let age: Duration = .seconds(10)
  /// Older figures are not shown.
  private static let ageMax: Duration = .seconds(300)

  private let figures: [Figure]
  private let pool: Pool
  private let time: Timekeeper
  private let state = Mutex(State())

  package init(_ figures: [Figure], pool: Pool, time: Timekeeper) {
    self.figures = figures
    self.pool = pool
    self.time = time
  }

  /// The last figures; `mayRead` is false while the database is unreachable or its schema unchecked.
  package func current(mayRead: Bool) -> [Reading] {
    let now = time.now()
    let (readings, starts) = state.withLock { state in
      let isOld = state.startedAt.map { now - $0 >= Self.age } ?? true
      let starts = mayRead && isOld && !state.isReading && !figures.isEmpty
      if starts {
        state.isReading = true
        state.startedAt = now
      }
      return (state.readAt.map { now - $0 < Self.ageMax } ?? false ? state.readings : [], starts)
    }
    if starts { Task { await read() } }
    return readings
  }

  private func read() async {
    let readings = try? await pool.withConnection { connection in
      var readings: [Reading] = []
      for figure in figures {
        do {
          let rows = try await connection.query(figure.statement).decode(String.self, Double.self)
          readings.append(Reading(figure: figure, values: rows.prefix(Figure.namesMax).map { ($0.0, $0.1) }))
        } catch let error as PostgresError where !error.verdict.allowsOthers {
          throw error
        } catch {
          // One figure that cannot be read hides no other.
        }
      }
      return readings
    }
    state.withLock { state in
      state.isReading = false
      guard let readings else { return }
      state.readings = readings
      state.readAt = time.now()
    }
  }
}
