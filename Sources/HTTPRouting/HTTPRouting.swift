// The parts that daemon and gateway share above `HTTPServing`: routes by method and path, the description of what is
// served, and the health socket.
//
// It must never know a command, a system or a database. It decides from its arguments alone and fails nowhere.
