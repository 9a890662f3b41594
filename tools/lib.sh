# Shared by the scripts in this folder, which source it; it runs nothing by itself.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

# A postmaster started with it resolves a Rust stack for every ERROR: 90 ms each.
unset RUST_BACKTRACE
# The caller's settings for other servers do not apply to our private ones.
unset PGHOST PGPORT PGDATABASE PGUSER PGPASSWORD PGSERVICE PGOPTIONS PSQLRC
export PATH="$ROOT/.tools/bin:$HOME/.cargo/bin:$PATH"

is_root() { [ "$(id -u)" = 0 ]; }
say() { printf '%s\n' "$*"; }
die() { printf 'error: %s\n' "$1" >&2; shift; for line in "$@"; do printf '  %s\n' "$line" >&2; done; exit 1; }

# check COMMAND…: runs it and counts whether it succeeded.
passed=0 failed=0
check() {
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); say "FAILED: $*"; fi
}
# The line that tools/test counts by; false where a check failed.
summary() { say "$passed passed, $failed failed"; [ "$failed" = 0 ]; }

# once FOLDER NAME COMMAND…: what was installed below FOLDER by this very command stays.
once() {
  local folder=$1 stamp=$1/$2.installed
  shift 2
  [ "$(cat "$stamp" 2>/dev/null)" = "$*" ] && return
  "$@" >"$folder/install.log" 2>&1 || { tail -n 20 "$folder/install.log"; return 1; }
  echo "$*" >"$stamp"
}

# python_with NAME FILE…: the Python of a virtual environment .tools/NAME that has what these files pin.
python_with() {
  local venv=$ROOT/.tools/$1 pinned
  shift
  pinned=$(cat "$@")
  if [ "$(cat "$venv/requirements.txt" 2>/dev/null)" != "$pinned" ]; then
    rm -rf "$venv"
    mkdir -p "$ROOT/.tools"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet "${@/#/--requirement=}" >&2
    say "$pinned" >"$venv/requirements.txt"
  fi
  say "$venv/bin/python"
}

# from_pypi NAME PACKAGE==VERSION: the folder of its programs, in a virtual environment .tools/NAME.
from_pypi() {
  local folder=$ROOT/.tools/$1
  [ -x "$folder/bin/python" ] || python3 -m venv "$folder"
  once "$folder" "$1" "$folder/bin/pip" install --quiet "$2" >&2 || return
  say "$folder/bin"
}

# as_root COMMAND…: with the rights to install packages.
as_root() {
  if is_root; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "installing packages needs root or sudo" "su -c 'apt-get install -y sudo && adduser $(id -un) sudo'"
  fi
}

# as_server COMMAND…: as the user that the server runs as, because PostgreSQL refuses to run as root.
as_server() {
  if is_root; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

# The newest server with its development files; PG_CONFIG= names another one.
find_pg_config() {
  local major candidate
  if [ -n "${PG_CONFIG:-}" ]; then
    command -v "$PG_CONFIG" || die "PG_CONFIG=$PG_CONFIG cannot be run" "make demo PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config"
    return
  fi
  for major in 18 17 16 15 14 13; do
    candidate=/usr/lib/postgresql/$major/bin/pg_config
    if [ -x "$candidate" ] && [ -x "${candidate%pg_config}postgres" ] &&
      [ -f "$("$candidate" --includedir-server)/postgres.h" ]; then
      say "$candidate"
      return
    fi
  done
}

# Sets PG_CONFIG, PG_MAJOR and PG_BIN, once the packages are installed.
use_postgres() {
  PG_CONFIG=$(find_pg_config)
  [ -n "$PG_CONFIG" ] || die "no PostgreSQL server with its development files was found" "make setup"
  if is_root && ! id postgres >/dev/null 2>&1; then
    die "PostgreSQL does not run as root and there is no user postgres to run it as" "useradd --system postgres"
  fi
  PG_BIN=$("$PG_CONFIG" --bindir)
  PG_MAJOR=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
  export PG_CONFIG PG_BIN PG_MAJOR
}

# Tells pgrx's build script where this PostgreSQL is, as `cargo pgrx init` does.
pgrx_knows_postgres() {
  local config=${PGRX_HOME:-$HOME/.pgrx}/config.toml
  if grep -qs "^pg$PG_MAJOR = " "$config"; then return; fi
  mkdir -p "$(dirname "$config")"
  [ -s "$config" ] || say "[configs]" >"$config"
  say "pg$PG_MAJOR = \"$PG_CONFIG\"" >>"$config"
}

# The version of everything here.
project_version() { sed -n 's/^version *= *"\(.*\)"/\1/p' Cargo.toml | head -n 1; }

# The folder of clusters and staged files: in the project, or in /tmp if the server's user cannot
# enter the project's folder or its path is too long for a socket (107 bytes).
state_dir() {
  local dir="$ROOT/.cluster"
  if [ ${#dir} -gt 70 ] || ! as_server test -x "$ROOT"; then
    dir="/tmp/text2sql-$(id -u)-$(printf %s "$ROOT" | cksum | cut -d' ' -f1)"
  fi
  mkdir -p -m 755 "$dir"
  [ -O "$dir" ] || die "$dir belongs to somebody else" "rm -rf $dir"
  say "$dir"
}

cluster_dir() { say "$(state_dir)/$1-$PG_MAJOR"; }

# in_cluster NAME PROGRAM ARGUMENTS…: a client program of this PostgreSQL, as superuser.
in_cluster() {
  local dir program=$2
  dir=$(cluster_dir "$1")
  shift 2
  PGHOST=$dir PGUSER=postgres "$PG_BIN/$program" "$@"
}

run_sql() { PGOPTIONS="-c client_min_messages=warning" in_cluster "$1" psql -XAtq -v ON_ERROR_STOP=1 -d "$2" "${@:3}"; }

# Loads demo/*.sql into database `demo` of cluster NAME, unless exactly that is there already.
load_demo() {
  local name=$1 stamp files there
  files=(demo/[0-9]*.sql)
  stamp="demo $(cat "${files[@]}" "$(stage_dir)"/*.stamp 2>/dev/null | cksum | cut -d' ' -f1)"
  there=$(run_sql "$name" postgres -c "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = 'demo'")
  if [ "$there" = "$stamp" ]; then return; fi
  run_sql "$name" postgres -c 'DROP DATABASE IF EXISTS demo WITH (FORCE)' -c 'CREATE DATABASE demo'
  local file
  for file in "${files[@]}"; do run_sql "$name" demo -f "$file"; done
  run_sql "$name" postgres -c "COMMENT ON DATABASE demo IS '$stamp'"
}

# The folder where the built extension is staged for the private clusters.
stage_dir() { say "$(state_dir)/stage-$PG_MAJOR"; }

# Whether this server can load extensions from a folder of our own (a patch of Debian and Ubuntu).
has_destdir() { "$PG_BIN/postgres" --describe-config | grep '^extension_destdir' >/dev/null; }
