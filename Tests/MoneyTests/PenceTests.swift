import Money
import Testing

@Suite("Pence")
struct PenceTests {
  @Test(
    arguments: [
      (0, "£0.00"), (5, "£0.05"), (3366, "£33.66"), (-5, "-£0.05"), (100, "£1.00"),
      (.max, "£92233720368547758.07"), (.min, "-£92233720368547758.08"),
    ] as [(Int64, String)])
  func `pence are written as pounds, with the sign first`(amount: Int64, text: String) {
    #expect(Pence(amount).description == text)
  }

  @Test func `pence that overflow throw and do not trap`() throws {
    #expect(throws: MoneyError.self) { try Pence(.max) + Pence(1) }
    #expect(throws: MoneyError.self) { try Pence(.min) - Pence(1) }
    let error = #expect(throws: MoneyError.self) { try Pence.sum([Pence(.max), Pence(1), Pence(-1)]) }
    #expect(error?.code == .overflow)
    #expect(try Pence.sum([]) == .zero)
    #expect(try Pence.sum([Pence(.max), Pence(-1)]) == Pence(.max - 1))
  }
}
