import Postgres

/// People of three zones who check in each day, until they do not; the daemon closes their days at their midnights.
struct DemoHabits: Sendable {
  let app: DemoApp
  let owner: DemoOwner
  let show: @Sendable (String) -> Void

  private static let people = [
    ("Pacific/Auckland", ["Aroha", "Tane", "Kiri"]), ("Europe/London", ["Nia", "Callum", "Grace"]),
    ("America/Los_Angeles", ["Dana", "Luis", "Mei"]),
  ]

  func begin() async throws {
    for (zone, names) in Self.people {
      for name in names { try await app.onboard(name, zone: zone) }
    }
    show("\nPeople who check in each day: " + Self.people.map { "\($1.count) in \($0)" }.joined(separator: ", "))
  }

  /// Each time one fewer of each zone comes.
  func checkIn(day: Int) async throws {
    for (_, names) in Self.people {
      for name in names.prefix(3 - day) { try await app.checkIn(name) }
    }
  }

  func run() async throws {
    show("\nTheir days, closed at the midnights of their zones (checked in / streaks ended):")
    for (zone, names) in Self.people {
      let days = try await owner.closedDays(zone).map { "\($0.date.suffix(5)) \($0.checkedIn)/\($0.ended)" }
      show("  " + zone.padded(21) + days.joined(separator: "   "))
      let longest = try await app.longestStreak(names[0])
      show("".padded(23) + "\(names[0])'s longest streak: \(longest) days")
    }
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
