/// The shell program that owns a private cluster.
///
/// It reads commands from a pipe whose other end only our process holds. When that end closes, for any reason,
/// SIGKILL included, the read fails, and it stops the server and removes the directory. It answers each command with
/// one line, `ok ...` or `failed ...`.
enum Supervisor {
  static let variable = "settled_supervisor"
  static let start = "eval \"$settled_supervisor\""

  /// Arguments: programs' directory, user to run as (or empty), directory (or empty), then the server's options.
  ///
  /// It travels in the environment variable `variable`, so that a list of processes stays readable.
  static let program = #"""
    unset settled_supervisor
    trap '' INT TERM HUP QUIT PIPE
    umask 077
    bin=$1 user=$2 dir=$3 pid=
    shift 3
    as=
    [ -z "$user" ] || as="setpriv --reuid $user --regid $(id -g "$user") --clear-groups --"
    # A shell cannot restore signals that it was started to ignore, or ignores: env does.
    as="$as env --default-signal=INT,TERM,HUP,QUIT,PIPE"
    say() { echo "$@" 2>/dev/null; }
    # The directory is the user's, who may put a link in place of the log: it is opened and read with that
    # user's rights.
    logged='exec "$@" </dev/null >>log 2>&1'
    last() { $as tail -n 3 log 2>/dev/null | tr '\n' ' '; }
    reap() { [ -z "$pid" ] || wait "$pid" 2>/dev/null; pid=; }
    start() {
      [ -z "$pid" ] || { say ok; return; }
      cd "$dir" || { say failed "no directory $dir"; return; }
      $as /bin/sh -c "$logged" sh "$bin/postgres" -D "$dir/data" "$@" &
      pid=$!
      tries=0
      # Both lines from one reading: a crash leaves a file that says ready, with the pid of the dead.
      until [ "$(sed -n '1p;8p' "$dir/data/postmaster.pid" 2>/dev/null | tr -s '\n ' ' ')" = "$pid ready " ]; do
        tries=$((tries + 1))
        if ! kill -0 "$pid" 2>/dev/null; then reap; say failed "$(last)"; return; fi
        if [ $tries -gt 3000 ]; then say failed "not ready in 60 s: $(last)"; return; fi
        sleep 0.02
      done
      say ok "$pid"
    }
    # The server and all of its children at once, as a power failure would.
    crash() {
      [ -n "$pid" ] || return
      kill -STOP "$pid" 2>/dev/null
      children=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
      kill -KILL $children "$pid" 2>/dev/null
      reap
      for child in $children; do while kill -0 "$child" 2>/dev/null; do sleep 0.01; done; done
    }
    signal() { [ -z "$pid" ] || { kill "-$1" "$pid" 2>/dev/null; reap; }; }
    finish() {
      signal QUIT
      # A crashed server leaves a System V segment; the last number of the line is its identifier.
      segment=$(sed -n 7p "$dir/data/postmaster.pid" 2>/dev/null | awk '{ print $2 }')
      [ -z "$segment" ] || $as ipcrm -m "$segment" 2>/dev/null
      cd /
      rm -rf "$dir"
      exit 0
    }
    if [ -z "$dir" ]; then
      dir=$(mktemp -d /tmp/settled-pg.XXXXXX) || { say failed "no directory below /tmp"; exit 1; }
    else
      mkdir "$dir" 2>/dev/null || { say failed "cannot make $dir, or it exists"; exit 1; }
    fi
    [ -z "$user" ] || chown "$user" "$dir"
    cd "$dir"
    if $as /bin/sh -c "$logged" sh "$bin/initdb" -D "$dir/data" -N --no-instructions -A trust -U postgres -E UTF8 \
      --locale=C.UTF-8
    then say ok "$dir"; else say failed "$(last)"; finish; fi
    while read -r command; do
      case $command in
        start) start -k "$dir" "$@" ;;
        stop) signal INT; say ok ;;
        kill) crash; say ok ;;
        # At once: PostgreSQL 17 can hang in a fast shutdown while it recovers from a crash.
        finish) break ;;
      esac
    done
    finish
    """#
}
