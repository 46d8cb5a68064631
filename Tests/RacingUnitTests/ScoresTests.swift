import Testing

@testable import Racing

/// Billionths of metres, seconds and metres a second.
private func nano(_ thousandths: Int64) -> Int64 { thousandths * 1_000_000 }

@Suite("Scores")
struct ScoresTests {
  @Test(
    arguments: [
      (4_000_500_000, 4001),  // 4.0005
      (4_000_499_999, 4000), (4_001_499_999, 4001), (4_000_000_000, 4000), (500_000, 1), (499_999, nil), (0, nil),
      (-4_000_000_000, nil), (.min, nil), (.max, 9_223_372_036_855), (nil, nil),
    ] as [(Int64?, Int64?)])
  func `scores round the top speed half up to millimetres a second`(maxSpeed: Int64?, expected: Int64?) {
    let measures = ActivityMeasures(distance: 0, elapsedTime: 0, movingTime: 0, maxSpeed: maxSpeed)
    #expect(Scores(measures)[.topSpeed] == expected)
  }

  @Test(
    arguments: [
      (1_234_565_000_000, 123_457),  // 1234.565 m
      (1_234_564_999_999, 123_456), (5_000_000, 1), (4_999_999, nil), (0, nil), (-1, nil), (.max, 922_337_203_685),
    ] as [(Int64, Int64?)])
  func `scores round the distance half up to centimetres`(distance: Int64, expected: Int64?) {
    let measures = ActivityMeasures(distance: distance, elapsedTime: 0, movingTime: 0)
    #expect(Scores(measures)[.furthestDistance] == expected)
  }

  @Test(
    arguments: [
      (2_000_000, 600_001, 300_001, nil),  // 300.0005 s: half up
      (2_000_000, 600_000, 300_000, nil),
      (1_000_000, 299_123, 299_123, nil),
      (999_999, 299_123, nil, nil),
      (5_000_000, 1_500_002, 300_000, 1_500_002),  // 300.0004 s
      (6_000_000, 1_500_000, 250_000, 1_250_000),
      (7_000_000, 1_000_000, 142_857, 714_286),
      (4_999_999, 1_500_000, 300_000, nil),
      (5_000_000, 0, nil, nil),
      (5_000_000, -1, nil, nil),
      (5_000_000_000, 2, nil, nil),  // 0.0000004 s
      (0, 0, nil, nil),
      (-5_000_000, 1000, nil, nil),
    ] as [(Int64, Int64, Int64?, Int64?)])
  func `scores without streams use the average moving pace, over the whole distance only`(
    metres: Int64, seconds: Int64, one: Int64?, five: Int64?
  ) {
    let scores = Scores(ActivityMeasures(distance: nano(metres), elapsedTime: 0, movingTime: nano(seconds)))
    #expect(scores[.fastest1km] == one)
    #expect(scores[.fastest5km] == five)
  }

  @Test func `scores prefer the best effort of the streams to the pace`() throws {
    // 1 km in 300 s, a pause of 100 s, then 5 km in 1250 s.
    let streams = try #require(
      Streams(
        times: [0, 300, 400, 1650].map { $0 * Billionths.ofOne },
        distances: [0, 1000, 1000, 6000].map { $0 * Billionths.ofOne }))
    var measures = ActivityMeasures(
      distance: nano(6_000_000), elapsedTime: nano(1_650_000), movingTime: nano(1_550_000), streams: streams)
    #expect(Scores(measures)[.fastest1km] == 250_000)
    #expect(Scores(measures)[.fastest5km] == 1_250_000)

    measures.distance = nano(4_999_999)  // The distance is the activity's, not that of the streams.
    #expect(Scores(measures)[.fastest5km] == nil)
    #expect(Scores(measures)[.fastest1km] == 250_000)
  }

  @Test func `scores use the pace when the streams are shorter than the distance`() {
    for distances in [[], [0], [0, 999], [4000, 4999]] as [[Int64]] {
      let times = distances.indices.map { Int64($0) * Billionths.ofOne }
      let measures = ActivityMeasures(
        distance: nano(2_000_000), elapsedTime: nano(600_000), movingTime: nano(600_000),
        streams: Streams(times: times, distances: distances.map { $0 * Billionths.ofOne }))
      #expect(Scores(measures)[.fastest1km] == 300_000)
    }
  }

  @Test func `a track that jumps a kilometre has no scores`() {
    let measures = ActivityMeasures(
      distance: nano(2_000_000), elapsedTime: nano(600_000), movingTime: nano(600_000),
      streams: Streams(times: [0, 1, 600_000_000_000], distances: [0, nano(1_000_000), nano(2_000_000)]))
    #expect(Scores(measures)[.fastest1km] == nil)
  }

  @Test func `absurd numbers cause no trap in scores`() {
    let numbers: [Int64] = [.min, -1, 0, 1, Billionths.ofOne, .max - 1, .max]
    for distance in numbers {
      for time in numbers {
        for streams in [
          Streams(times: [0, .max], distances: [0, .max]), Streams(times: [.max, .max], distances: [0, .max]),
          Streams(times: [time], distances: [distance]), nil,
        ] {
          let scores = Scores(
            ActivityMeasures(
              distance: distance, elapsedTime: time, movingTime: time, maxSpeed: time, streams: streams))
          for type in RaceType.allCases { #expect(scores[type].map { $0 > 0 } ?? true) }
        }
      }
    }
  }

  @Test func `scores rank upwards for speed and distance, downwards for times`() {
    for type in RaceType.allCases {
      let upwards = [RaceType.topSpeed, .furthestDistance].contains(type)
      #expect(type.isBetter(2, than: 1) == upwards)
      #expect(type.isBetter(1, than: 2) == !upwards)
      #expect(type.isBetter(.max, than: .min) == upwards)
      #expect(!type.isBetter(1, than: 1))
    }
    #expect(RaceType.allCases.map(\.rawValue) == ["top_speed", "furthest_distance", "fastest_1km", "fastest_5km"])
  }
}
