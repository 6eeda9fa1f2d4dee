#!/bin/sh
# The hot standby: a copy of the primary at the first start, then it follows. Once it is promoted (SELECT pg_promote())
# nothing follows it yet, so its commits wait for nobody until it is told to (see primary.sh).
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    chmod 700 "$PGDATA"
    until pg_basebackup -h "$POSTGRES_PRIMARY" -U "$POSTGRES_USER" -D "$PGDATA" -R -X stream -c fast; do
        find "$PGDATA" -mindepth 1 -delete
        sleep 1
    done
    echo "synchronous_standby_names = ''" >>"$PGDATA/postgresql.auto.conf"
fi
exec postgres "$@"
