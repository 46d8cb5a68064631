/// The value of a command's parameter.
package enum ParameterValue: Sendable, Hashable {
  case text(String)
  case integer(Int64)
  case boolean(Bool)
}
