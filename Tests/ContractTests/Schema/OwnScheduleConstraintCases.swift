extension ConstraintCases {
  static let ownSchedules = [
    ("chain_link_once", "INSERT INTO racing.chain_link VALUES (1, 1, sha256('')), (2, 1, sha256(''))"),
    ("chain_link_position", "INSERT INTO racing.chain_link VALUES (0, 1, sha256(''))"),
    ("chain_link_hash", "INSERT INTO racing.chain_link VALUES (1, 1, 'short')"),
    ("chain_head_only_row", "UPDATE racing.chain_head SET only_row = false"),
    ("chain_head_position", "UPDATE racing.chain_head SET position = -1, hash = sha256('')"),
    ("chain_head_position", "UPDATE racing.chain_head SET position = 1"),
    ("chain_head_position", "UPDATE racing.chain_head SET hash = sha256('')"),
  ]
}
