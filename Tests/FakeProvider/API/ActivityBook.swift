import FoundationEssentials
import TextCoding

/// The activities of all athletes, in the provider's own JSON.
struct ActivityBook {
  private struct Entry {
    let athlete: Int64
    let start: Int64
    let value: JSONValue

    /// Whether its athlete alone may see it, with the scope activity:read_all.
    var isPrivate: Bool {
      if case .boolean(true) = value["private"] { true } else { value["visibility"]?.text == "only_me" }
    }
  }

  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  private var entries: [Int64: Entry] = [:]
  private var streams: [Int64: JSONValue] = [:]

  /// Takes activities in, by `id` and `start_date`; one of the same id takes the place of the former.
  mutating func plant(_ athlete: Int64, _ activities: [JSONValue], _ streams: [String: JSONValue]) throws {
    for activity in activities {
      guard let id = activity["id"]?.integer, let start = activity["start_date"]?.text,
        let date = try? Date(start, strategy: .iso8601)
      else { throw Malformed(description: "an activity has an id and a start_date such as 2026-07-01T06:00:00Z") }
      entries[id] = Entry(athlete: athlete, start: Int64(date.timeIntervalSince1970), value: activity)
    }
    for (key, value) in streams {
      guard let id = Int64(key) else { throw Malformed(description: "\(key) is no id of an activity") }
      self.streams[id] = value
    }
  }

  /// A page of the activities between two times, both excluded.
  func page(_ athlete: Int64, seesPrivate: Bool = true, after: Int64?, before: Int64?, page: Int, size: Int)
    -> [JSONValue]
  {
    let chosen = entries.filter { _, entry in
      entry.athlete == athlete && (seesPrivate || !entry.isPrivate) && entry.start > after ?? .min
        && entry.start < before ?? .max
    }
    let oldestFirst = chosen.sorted { ($0.value.start, $0.key) < ($1.value.start, $1.key) }.map(\.value.value)
    let ordered = after == nil ? oldestFirst.reversed() : oldestFirst
    return Array(ordered.dropFirst((page - 1) * size).prefix(size))
  }

  /// Takes activities away, as their athlete deletes them.
  mutating func remove(_ ids: [Int64]) {
    for id in ids { (entries[id], streams[id]) = (nil, nil) }
  }

  /// One activity, as the provider shows it to an athlete: also that of another, unless it is private.
  func shown(_ activity: Int64, to athlete: Int64, seesPrivate: Bool) -> JSONValue? {
    guard let entry = entries[activity], entry.athlete == athlete ? seesPrivate || !entry.isPrivate : !entry.isPrivate,
      case .object(let pairs) = entry.value
    else { return nil }
    return .object(pairs.filter { $0.0 != "athlete" } + [("athlete", ["id": .integer(entry.athlete)])])
  }

  /// These kinds of streams of an activity, by kind; nil where there is none.
  func streams(_ athlete: Int64, activity: Int64, kinds: [String]) -> JSONValue? {
    guard entries[activity]?.athlete == athlete, case .object(let all) = streams[activity] else { return nil }
    return .object(all.filter { kind, _ in kinds.contains(kind) })
  }
}
