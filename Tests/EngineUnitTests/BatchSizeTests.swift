@testable import Engine
import Testing

@Suite("Batch sizes") struct BatchSizeTests {
  private func sizes(_ batches: [(count: Int, milliseconds: Double)], largest: Int = 512) -> [Int] {
    var size = BatchSize(largest: largest)
    return [size.items]
      + batches.map { batch in
        size.observe(count: batch.count, elapsed: .seconds(batch.milliseconds / 1000))
        return size.items
      }
  }

  @Test func `quick batches grow by a factor of eight up to the largest`() {
    #expect(sizes([(1, 1), (8, 2), (64, 5), (512, 10)]) == [1, 8, 64, 512, 512])
  }

  @Test func `a batch is at most as large as fits into the target at the last speed`() {
    #expect(sizes([(1, 25)]) == [1, 4])
    #expect(sizes([(1, 1), (8, 2), (64, 200)]) == [1, 8, 64, 32])
  }

  @Test(arguments: [101.0, 1000, 1_000_000])
  func `a slow batch is followed by one item`(milliseconds: Double) {
    #expect(sizes([(1, 1), (1, milliseconds)]).last == 1)
  }

  @Test func `a batch that took no time does not overflow`() {
    #expect(sizes([(1, 0), (8, 0), (64, 0), (512, 0)], largest: .max).last == 4096)
  }

  @Test func `a batch that was smaller than allowed does not shrink the next one while it is within the target`() {
    #expect(sizes([(1, 1), (8, 2), (3, 3)]) == [1, 8, 64, 100])
    #expect(sizes([(1, 1), (8, 2), (3, 60)]) == [1, 8, 64, 64])
  }

  @Test func `batches grow when each costs the same at any size`() {
    var size = BatchSize(largest: 512)
    for _ in 0..<100 { size.observe(count: size.items, elapsed: .milliseconds(80)) }
    #expect(size.items > 64)
  }
}
