import Foundation
import Synchronization

/// Text that a process writes, as it comes.
package final class CapturedText: Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var isEnded = false
    var readers: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Mutex(State())

  /// Reads on a thread of its own until the other end is closed.
  init(_ handle: FileHandle) {
    Thread.detachNewThread { [self] in
      while true {
        let data = handle.availableData
        take(data)
        if data.isEmpty { break }
      }
      try? handle.close()
    }
  }

  private func take(_ data: Data) {
    state.withLock { state in
      state.bytes += data
      state.isEnded = data.isEmpty
      for reader in state.readers {
        reader.yield()
        if data.isEmpty { reader.finish() }
      }
    }
  }

  package var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

  /// Waits for a text; false when the process has closed its end without it.
  package func contains(_ text: String) async -> Bool {
    for await _ in changes() where self.text.contains(text) { return true }
    return self.text.contains(text)
  }

  /// Waits until nothing more can come.
  package func end() async {
    for await _ in changes() {}
  }

  private func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      continuation.yield()
      if state.isEnded { continuation.finish() } else { state.readers.append(continuation) }
    }
    return stream
  }
}
