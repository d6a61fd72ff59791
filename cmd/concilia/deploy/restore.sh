#!/bin/sh
# restore.sh DIR puts back what backup.sh copied to DIR: ledger, inbox, archive and share, all of one point in time. What is there is
# set aside under its name and .before-restore, and nothing is deleted but the tables of a ledger on PostgreSQL, which are replaced. Stop serve,
# worker and cron before. Then it proves the ledger against the archive, and the share against the ledger.
#
# The variables are those of backup.sh.
set -eu
: "${CONFIG:=concilia.yaml}" "${LEDGER:?}" "${ARCHIVE:?}" "${SHARE:=}"
[ $# = 1 ] || { echo "usage: restore.sh DIR" >&2; exit 2; }
umask 077

# put FROM TO copies FROM to TO. It may be repeated: what was set aside first stays.
put() {
	if [ -e "$2" ]; then
		if [ -e "$2.before-restore" ]; then rm -rf "$2"; else mv "$2" "$2.before-restore"; fi
	fi
	[ ! -e "$1" ] || cp -a "$1" "$2"
}

case $LEDGER in
postgres://* | postgresql://*)
	pg_restore --clean --if-exists --no-owner --exit-on-error --single-transaction --dbname="$LEDGER" "$1/ledger.dump"
	;;
*)
	inbox=${LEDGER%.db}-inbox.db
	# The logs of a database are set aside before itself. Once it is, what lies there is of the ledger restored before: beside the one
	# set aside it would be taken for its own.
	for file in "$LEDGER" "$inbox"; do
		[ ! -e "$file.before-restore" ] || rm -f "$file-wal" "$file-shm"
	done
	for end in -wal -shm ""; do
		put "$1/ledger.db$end" "$LEDGER$end"
		put "$1/ledger-inbox.db$end" "$inbox$end"
	done
	;;
esac
put "$1/archive" "$ARCHIVE"
[ -z "$SHARE" ] || put "$1/share" "$SHARE"
concilia --config "$CONFIG" ledger check
[ -z "$SHARE" ] || concilia --config "$CONFIG" verify "$SHARE"
