@testable import Engine
import Testing

@Suite("A lease") struct LeaseWatchTests {
  @Test func `a lease is lost when a node has seen it unchanged for its length`() {
    var watch = LeaseWatch(length: .seconds(30))
    #expect(watch.observe([7, 9], at: .seconds(100)) == [])
    #expect(watch.observe([7, 9], at: .seconds(129)) == [])
    #expect(watch.observe([7, 9, 11], at: .seconds(130)) == [7, 9])
    #expect(watch.observe([11], at: .seconds(159)) == [])
    #expect(watch.observe([11], at: .seconds(160)) == [11])
  }

  @Test func `a lease that was briefly gone starts again`() {
    var watch = LeaseWatch(length: .seconds(30))
    #expect(watch.observe([7], at: .zero) == [])
    #expect(watch.observe([], at: .seconds(20)) == [] && watch.isEmpty)
    #expect(watch.observe([7], at: .seconds(40)) == [])
    #expect(watch.observe([7], at: .seconds(69)) == [])
    #expect(watch.observe([7], at: .seconds(70)) == [7])
  }
}
