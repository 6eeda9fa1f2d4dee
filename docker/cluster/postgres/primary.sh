#!/bin/sh
# Once, when the primary is made (the image's docker-entrypoint-initdb.d): the standby may follow it, and a commit waits for
# the standby, so that nothing that was answered 201 is lost with this machine. While the standby is away uploads are 503;
# to go on without it: ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf();
set -eu
psql -v ON_ERROR_STOP=1 -q -U "$POSTGRES_USER" -d "$POSTGRES_DB" -c "ALTER SYSTEM SET synchronous_standby_names = '*'"
echo "host replication $POSTGRES_USER samenet scram-sha-256" >>"$PGDATA/pg_hba.conf"
