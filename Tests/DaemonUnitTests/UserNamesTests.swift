import Engine
import Dispatch
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Daemon

@Suite("The names of users") struct UserNamesTests {
  /// A clock that stands until it is moved, and a list of the users that were looked up.
  private final class Hand: Sendable {
    private let at = Mutex(Duration.seconds(1000))
    private let asked = Mutex<[UInt32]>([])
    let sleep: @Sendable (Duration) async throws -> Void

    init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

    var lookups: [UInt32] { asked.withLock { $0 } }

    func move(_ by: Duration) { at.withLock { $0 += by } }

    func note(_ uid: UInt32) { asked.withLock { $0.append(uid) } }

    var time: Timekeeper {
      Timekeeper(
        now: { self.at.withLock { $0 } }, boot: { .zero }, bootId: "test", wall: { Timestamp(microseconds: 0) },
        sleep: sleep, draw: { 0.5 })
    }
  }

  @Test func `a name is looked up once a minute, and a user without one has none`() async {
    let hand = Hand { _ in try await TestTime.host.sleep(.seconds(600)) }
    let names = UserNames(time: hand.time) { uid in
      hand.note(uid)
      return uid == 7 ? "ann" : nil
    }
    for _ in 1...3 { #expect(await names.names(of: [7, 8]) == [7: "ann"]) }
    #expect(hand.lookups == [7, 8])
    hand.move(.seconds(60))
    #expect(await names.names(of: [7]) == [7: "ann"])
    #expect(hand.lookups == [7, 8, 7])
  }

  @Test func `a directory of users that hangs costs an answer its names, and piles up no lookups`() async throws {
    let hand = Hand { _ in }
    let gate = DispatchSemaphore(value: 0)
    let names = UserNames(time: hand.time) { uid in
      hand.note(uid)
      gate.wait()
      return "ann"
    }
    for uid in 1...20 as ClosedRange<UInt32> { #expect(await names.names(of: [uid]) == [:]) }
    for _ in 1...20 { gate.signal() }
    try await untilTrue("the name of user 4") { await names.names(of: [4]) == [4: "ann"] }
    // User 4 may be looked up again as soon as another lookup has ended; users 5 to 20 were left out.
    #expect(hand.lookups.prefix(4) == [1, 2, 3, 4] && hand.lookups.allSatisfy { $0 <= 4 })
  }

  @Test func `the machine's own users have their names`() async {
    #expect(await UserNames(time: TestTime.host).names(of: [0, 4_294_967_294]) == [0: "root"])
  }
}
