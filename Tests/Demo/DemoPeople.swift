/// People and outings drawn from a seed.
struct DemoPeople {
  private var random: DemoRandom

  private static let firstNames = [
    "male": [
      "Oliver", "George", "Callum", "Rhys", "Arthur", "Euan", "Tomos", "Harry", "Angus", "Noah", "Gethin", "Fraser",
      "Jack", "Leo", "Owen", "Ewan",
    ],
    "female": [
      "Amelia", "Isla", "Ava", "Cerys", "Grace", "Freya", "Mairi", "Nia", "Poppy", "Elsie", "Eilidh", "Megan", "Rosie",
      "Alice", "Seren", "Catriona",
    ],
  ]
  private static let lastNames = [
    "Hughes", "Campbell", "Walker", "Evans", "Fraser", "Wright", "Morgan", "Reid", "Clarke", "Griffiths", "Stewart",
    "Baker", "Llewellyn", "Murray", "Cooper", "Davies", "Shaw", "Wallace", "Price", "Turner",
  ]
  /// Waters of the United Kingdom: latitude, longitude.
  private static let waters = [
    (54.3626, -2.9206), (51.5360, -0.9020), (52.7090, 1.4900), (57.3229, -4.4244), (51.9620, -2.1370),
    (54.4640, -7.6970), (53.1460, -3.0060), (50.3520, -4.1270), (52.9190, -4.0640), (55.9990, -4.6200),
  ]

  init(seed: UInt64) {
    random = DemoRandom(seed: seed)
  }

  mutating func name(gender: String) -> String {
    let first = Self.firstNames[gender, default: []].randomElement(using: &random) ?? "Alex"
    let last = Self.lastNames.randomElement(using: &random) ?? "Smith"
    return "\(first) \(last)"
  }

  mutating func birthday(in years: ClosedRange<Int>) -> String {
    let (year, month, day) = (
      Int.random(in: years, using: &random), Int.random(in: 1...9, using: &random),
      Int.random(in: 10...28, using: &random)
    )
    return "\(year)-0\(month)-\(day)"
  }

  mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  /// The JSON of an outing that starts at an instant. Decimals are written out, never computed in floating point.
  mutating func outing(stravaId: Int, startDate: String) -> String {
    let (latitude, longitude) = Self.waters.randomElement(using: &random) ?? (51.5, -0.9)
    let kilometres = Int.random(in: 6...24, using: &random)
    let secondsPerKilometre = Int.random(in: 255...420, using: &random)
    let moving = kilometres * secondsPerKilometre
    let place = #"{"latitude": \#(latitude), "longitude": \#(longitude)}"#
    let samples = 0...(kilometres * 4)
    let times = samples.map { index in
      String(index * secondsPerKilometre / 4 + (index % 5 == 0 ? 0 : Int.random(in: 0...6, using: &random)))
    }
    let distances = samples.map { String($0 * 250) }
    return """
      {"stravaId": \(stravaId), "name": "Paddle", "activityType": "\(stravaId % 3 == 0 ? "Canoeing" : "Kayaking")",
       "startDate": "\(startDate)", "elapsedTime": \(moving + 600), "movingTime": \(moving),
       "distance": \(kilometres * 1000 + Int.random(in: 0...249, using: &random)).\(Int.random(in: 0...9, using: &random)),
       "maxSpeed": \(Int.random(in: 3...5, using: &random)).\(Int.random(in: 100...999, using: &random)),
       "startLocation": \(place), "endLocation": \(place), "polyline": "mock",
       "streams": {"time": [\(times.joined(separator: ","))], "distance": [\(distances.joined(separator: ","))]}}
      """
  }
}
