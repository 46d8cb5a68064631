import Glibc

/// Which sizes a benchmark of growth measures, and how often each.
struct GrowthScale {
  /// The highest allowed exponent of work on every row, and of work on a few of many.
  static let proportional = 1.05
  static let constant = 0.1

  let repetitions: Int
  let largest: Int

  /// Calls `body` for each size, on one server, after it has found the disk that the rows of this size need.
  func report(
    of noun: String, from first: Int, through last: Int, bytesPerRow: Int,
    _ body: (Int, BenchCluster, inout Report) async throws -> Void
  ) async throws -> Report {
    try await BenchCluster.with { cluster in
      var report = Report()
      for size in sizes(from: first, through: last) {
        try requireDisk(bytesPerRow: bytesPerRow, rows: size, of: noun, on: cluster)
        note("\(size) \(noun)")
        try await body(size, cluster, &report)
      }
      return report
    }
  }

  /// The powers of ten between two sizes, up to `largest`; at least two, so that they have an exponent.
  private func sizes(from first: Int, through last: Int) -> [Int] {
    var sizes = [first, first * 10]
    while sizes[sizes.count - 1] * 10 <= min(last, largest) { sizes.append(sizes[sizes.count - 1] * 10) }
    return sizes
  }

  /// At most three, and one above 100,000.
  func repetitions(at size: Int) -> ClosedRange<Int> { 1...(size > 100_000 ? 1 : min(repetitions, 3)) }

  /// Prints the disk that a million rows or more need, and fails where it is not free.
  private func requireDisk(bytesPerRow: Int, rows: Int, of noun: String, on cluster: BenchCluster) throws {
    guard rows >= 1_000_000 else { return }
    let needed = Double(bytesPerRow * rows) / 1e9
    var disk = statvfs()
    guard statvfs(cluster.directory, &disk) == 0 else {
      throw BenchError("statvfs: \(String(cString: strerror(errno)))")
    }
    let free = Double(disk.f_bavail) * Double(disk.f_frsize) / 1e9
    note("\(rows) \(noun) need \(Int(needed.rounded(.up))) GB of disk")
    guard free > needed else {
      throw BenchError(
        "\(cluster.directory) has only \(Int(free)) GB free: --largest limits the sizes")
    }
  }
}
