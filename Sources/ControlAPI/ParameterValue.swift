/// The value of a command's parameter.
package enum ParameterValue: Sendable, Equatable {
  case text(String)
  case integer(Int64)
  case boolean(Bool)
}
