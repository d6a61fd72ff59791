#!/bin/sh
# backup.sh DIR copies ledger, inbox, archive and share into the new folder DIR, while nights go on. The archive is copied after
# the ledger: then it holds every file that the copy names.
#
#   CONFIG   the configuration (default concilia.yaml)
#   LEDGER   the ledger's file, or its postgres:// address as pg_dump takes it
#   ARCHIVE  folder of the archive; SHARE folder of the reports, empty: it is not copied
set -eu
: "${CONFIG:=concilia.yaml}" "${LEDGER:?}" "${ARCHIVE:?}" "${SHARE:=}"
[ $# = 1 ] || { echo "usage: backup.sh DIR" >&2; exit 2; }
umask 077
mkdir "$1"
case $LEDGER in
postgres://* | postgresql://*) pg_dump --format=custom --file="$1/ledger.dump" --dbname="$LEDGER" ;;
*) concilia --config "$CONFIG" ledger backup "$1/ledger.db" ;; # and the inbox beside it
esac
cp -a "$ARCHIVE" "$1/archive"
[ -z "$SHARE" ] || cp -a "$SHARE" "$1/share"
