import Operations

/// The kinds of events that operators may search for in the journal, by the text of their message.
///
/// The ids never change, because filters and alerts elsewhere use them. A test proves that each text is logged.
enum MessageID {
  /// The engine's ids, and those of the modules' records.
  static func all(with records: [JournalRecord]) -> [String: String] {
    records.reduce(into: engine) { $0[$1.text] = $1.messageID }
  }

  private static let engine: [String: String] = [
    "ready": "937c30182cd743898fd7a808d7ad3b1a",
    "stopping": "8ae757c02a594cfaab8795edf6403ec3",
    "stopped": "ba3896b63dd342e18a53b82e3ad82cef",
    "the last run did not stop cleanly: attempts are counted in advance": "80b4fb37b9744e44993a0c6bbe8df705",
    "the database is unreachable; trying again": "2c215d0503ee46af905209166783dc8b",
    "the database is back": "050ee420277348c998efc0eaf780e484",
    "an item failed and will be retried": "aec41386706346e2ae9df49eb4e18e77",
    "an item is quarantined": "5a69fc8fc3a24fc4a1ac3cd5c9a416d8",
    "an item is waiting for a lock": "f52a832b309b415e9be78e95470d663e",
    "job warning": "c8e0cab1897f47279cf7ee5fce47df71",
    "work was interrupted and will be retried": "e495dca0d27c4bfc949c3666acf61ad6",
    "interrupted work resumed": "8daf2c3786e542498ae3b776882739eb",
    "a schedule run failed": "6f0c2a54b1de4d0e9c1f7a3f52e84b90",
    CommandDispatcher.doneText: "af5374ff375f4fef8eea4b9bbc637fcd",
    "a batch failed; its items are processed one by one": "ad77a04468f240fc9b96780ad4b02381",
    "THE DATABASE'S CLOCK JUMPED: nothing is settled until the clocks agree or settlectl clock accept is run":
      "96cbfefe9f18414cbcdbcd676ea300ec",
    "THIS NODE'S CLOCK IS OFF: it settles nothing until its clock agrees with the database's":
      "5d0f6b1c2f3b4f59a1c8d8f2b0a7e4c3",
    "this node's clock agrees with the database's again": "e27bd7a0b4c94c1d8b1f6f0f5a6c9d12",
    "THE DATABASE WAS RESTORED, MOVED OR COPIED: tokens and settlements wait until settlectl restore accept is run":
      "3f0a9b1f7f4b4c0c9a3d8a9e5d2b6c71",
    "the database failed over without losing any commit that this node remembers": "8c1de0a4b6e943c49b1f2f7a1f0d3e58",
    "the database's clock agrees with the nodes' clocks again": "c3b81ce3b1bc40749789f766de52a9c5",
  ]
}
