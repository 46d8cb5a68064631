/// The answers of the guides of a team, as they show them.
enum TeamExamples {
  static func reward(id: String = "2", _ description: String, _ threshold: Int, updated: String) -> String {
    """
    {
      "id": \(id),
      "season": "xc",
      "year": "2024",
      "description": "\(description)",
      "pointThreshold": \(threshold),
      "displayOrder": 2,
      "isAchieved": false,
      "achievedDate": null,
      "createdAt": "2024-09-01T10:00:00.000Z",
      "updatedAt": "\(updated)"
    }
    """
  }

  static func talk(_ uuid: String) -> String {
    """
    {
      "uuid": "\(uuid)",
      "author": "coach_mike",
      "season": "xc",
      "year": "2024",
      "title": "Pre-Race Strategy",
      "content": "# Race Day Tips",
      "team": "UA",
      "createdAt": "2024-10-01T10:00:00Z",
      "updatedAt": "2024-10-01T10:00:00Z"
    }
    """
  }
}
