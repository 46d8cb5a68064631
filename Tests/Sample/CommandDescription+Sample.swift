package import ControlAPI

extension CommandDescription {
  package static let parcelShow = CommandDescription(
    "parcel.show", .get, "/v1/parcels/{id}", level: .read, summary: "Show a parcel.",
    parameters: [.required("id", .integer, "The parcel.")],
    answer: .object(["id": .integer, "packed": .boolean, "receipt": .nullable(.integer)]))
}
