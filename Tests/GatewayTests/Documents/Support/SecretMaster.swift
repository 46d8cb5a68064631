/// The hidden achievement of the guide of achievements, with the keys that the contract adds to its answers.
enum SecretMaster {
  static let definition = """
    {"slug": "secret-master", "name": "Secret Master", "description": "Complete all secret challenges",
     "icon": {"type": "crown", "color": "#FFD700", "symbol": "👑", "svg_url": null},
     "unlock_requirements": {"metric": "author_read_count", "value": 50}, "reward": 500, "is_hidden": true,
     "category": "authors", "display_order": 7}
    """

  /// The guide's second answer has no steps; these are empty where an achievement has none.
  private static let added = #""is_multistep": false, "display_order": 7"#

  static let masked = """
    {
      "id": 42,
      "slug": "secret-master",
      "name": "???",
      "description": "???",
      "icon": {
        "type": "question",
        "color": "#999999",
        "symbol": "?",
        "svg_url": null
      },
      "unlock_requirements": null,
      "progress": null,
      "steps": [],
      "reward": null,
      "is_hidden": true,
      "is_unlocked": false,
      "category": "authors",
      "date_unlocked": null, \(added)
    }
    """

  /// Its condition is always shown.
  static let revealed = """
    {
      "id": 42,
      "slug": "secret-master",
      "name": "Secret Master",
      "description": "Complete all secret challenges",
      "icon": {
        "type": "crown",
        "color": "#FFD700",
        "symbol": "👑",
        "svg_url": null
      },
      "unlock_requirements": {
        "metric": "author_read_count",
        "value": 50,
        "condition": "simple"
      },
      "progress": {
        "current": 50,
        "required": 50,
        "percentage": 100
      },
      "reward": 500,
      "is_hidden": true,
      "is_unlocked": true,
      "date_unlocked": "2025-12-04 10:30:00",
      "category": "authors",
      "steps": [], \(added)
    }
    """
}
