import ControlAPI
@testable import DashboardRelay
import Synchronization
import TestSupport
import Testing

@Suite("A change on its way to the daemon") struct CommandRelayTests {
  @Test func `an id above 2^53 keeps its digits, and an empty field is left out`() async throws {
    let targets = Mutex<[String]>([])
    let daemon = try await StandInDaemon { target in
      targets.withLock { $0.append(target) }
      return .json("{}")
    }
    let body = #"{"id": "9007199254740993", "reason": "a test", "expectHash": ""}"#
    let answer = await CommandRelay(path: daemon.path).answer(.reviewApprove, Array(body.utf8), requestId: "a")
    #expect(answer.status == 200, "\(answer.body)")
    #expect(targets.withLock { $0 } == ["/v1/reviews/9007199254740993/approve"])
  }

  @Test(arguments: [
    #"{"id": 17}"#, #"{"id": "17.0"}"#, #"{"id": "9223372036854775808"}"#, #"{"id": "x"}"#, #"{"id": null}"#,
    #"{"other": "17"}"#, #"{}"#,
  ])
  func `a value that does not fit its parameter is refused before the daemon is asked`(_ body: String) async {
    let answer = await CommandRelay(path: "/nowhere").answer(.reviewApprove, Array(body.utf8), requestId: "a")
    #expect(answer.status == 400 && answer.body.contains("\"rule\":\"key\""), "\(answer.body)")
  }
}
