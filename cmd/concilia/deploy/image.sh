#!/bin/sh
# image.sh DIR makes in DIR the whole root of the image that the Dockerfile packs: the two programs, the certificates that
# answers are checked by, a place for temporary files, and /data. Time zones and everything else are in the programs.
# It needs Go and the certificates of this machine (CA_FILE names others).
set -eu
[ $# = 1 ] || { echo "usage: image.sh DIR" >&2; exit 2; }
mkdir -p "$1/usr/local/bin" "$1/etc/ssl/certs" "$1/tmp" "$1/data"
dir=$(cd "$1" && pwd)
chmod 1777 "$dir/tmp"  # SQLite sorts here, and reports are rendered here
chmod 0700 "$dir/data" # ledger, archive and reports, when nothing is mounted
cp "${CA_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$dir/etc/ssl/certs/ca-certificates.crt"
cd "$(dirname "$0")/../../.."
CGO_ENABLED=0 go build -trimpath -o "$dir/usr/local/bin/" ./cmd/concilia ./cmd/sandbox
