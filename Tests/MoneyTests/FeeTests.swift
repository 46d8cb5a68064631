import Money
import Testing

@Suite("The platform's fee")
struct FeeTests {
  @Test(
    arguments: [
      (34 * 100, "1", 34), (89 * 499, "1", 444), (499, "1", 4), (0, "1", 0), (99, "1", 0), (100, "1", 1),
      (10_000, "0.01", 1), (9999, "0.01", 0), (1000, "2.5", 25), (1, "50", 0), (3, "50", 1), (12_345, "0", 0),
      (.max, "50", .max / 2), (.max, "0.01", .max / 10_000),
    ] as [(Int64, String, Int64)])
  func `the platform's fee is the percentage of the fees, cut to whole pence`(
    fees: Int64, percent: String, expected: Int64
  ) throws {
    #expect(try Fee.platform(fees: Pence(fees), percent: Percent(text: percent)) == Pence(expected))
  }

  @Test func `the platform's fee refuses fees below zero`() {
    let error = #expect(throws: MoneyError.self) {
      try Fee.platform(fees: Pence(-1), percent: Percent(hundredths: 100))
    }
    #expect(error?.code == .negative)
    #expect(throws: MoneyError.self) { try Fee.sum([Pence(2), Pence(-1)]) }
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 100), ("1.5", 150), ("1.05", 105), ("1.50", 150), ("50", 5000), ("50.00", 5000), ("0.01", 1),
    ] as [(String, Int64)])
  func `fee percentages have at most two decimals`(text: String, hundredths: Int64) throws {
    #expect(try Percent(text: text).hundredths == hundredths)
    #expect(try Percent(text: Percent(text: text).description).hundredths == hundredths)
  }

  @Test(arguments: [
    "", " ", ".", "1.", ".5", "1.005", "-1", "+1", "-0", "1e1", "50.01", "51", "99999999999999999999", "1,5", "1 ",
    "1.-5", "1.+5", "٣", "0x1", "1.2.3", "NaN",
  ])
  func `other fee percentages are refused`(text: String) {
    let error = #expect(throws: MoneyError.self) { try Percent(text: text) }
    #expect(error?.code == .percent)
  }
}
