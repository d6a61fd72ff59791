package sqldb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// poolerProbeTimeout bounds the question whether a pooler keeps sessions: a small one may have no connection to spare.
const poolerProbeTimeout = 3 * time.Second

// refusePooler refuses an address behind which a session is no session. A pooler that gives a connection of the server to
// a client for one transaction (PgBouncer's pool_mode=transaction) or one statement lets everything that lasts longer
// fall on somebody else: the lock under which migrations are applied, the queue's listening, prepared statements. That
// shows at the worst time and not at once, so it is asked for at once.
//
// A server's own connection is known by its process, which it tells when it connects: there nothing more is asked.
func refusePooler(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if own, err := isServerConnection(ctx, conn.Conn()); err != nil || own {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, poolerProbeTimeout)
	defer cancel()
	lasts, err := keepsSession(ctx, pool.Config().ConnConfig)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil // nothing is known
	case err != nil:
		return err
	case lasts:
		return nil
	}
	return fmt.Errorf("%w: behind it a pooler shares one connection among clients by transaction or statement, where locks of a "+
		"session, listening and prepared statements do not hold: set pool_mode=session for this database in PgBouncer, or give "+
		"the server's own address", ErrDSN)
}

// isServerConnection says whether the connection goes to the server's own process.
func isServerConnection(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var pid uint32
	err := conn.QueryRow(ctx, `
		SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid == conn.PgConn().PID(), err
}

// keepsSession leaves a mark in a session, lets another client be busy, and looks for the mark: a connection that was
// given to the other one meanwhile is not there any more.
func keepsSession(ctx context.Context, config *pgx.ConnConfig) (lasts bool, err error) {
	var conns [2]*pgx.Conn
	for i := range conns {
		if conns[i], err = pgx.ConnectConfig(ctx, config); err != nil {
			return false, err
		}
		defer func() { _ = conns[i].Close(context.WithoutCancel(ctx)) }() // nothing is left in it
	}
	mark := rand.Text()
	if _, err := conns[0].Exec(ctx, `
		SELECT set_config('concilia.mark', $1, false)`, pgx.QueryExecModeSimpleProtocol, mark); err != nil {
		return false, err
	}
	if _, err := conns[1].Exec(ctx, `
		BEGIN`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return false, nil //nolint:nilerr // by statement there are no transactions
	}
	if _, err := conns[1].Exec(ctx, `
		SELECT 1`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return false, err
	}
	var found string
	err = conns[0].QueryRow(ctx, `
		SELECT COALESCE(current_setting('concilia.mark', true), '')`, pgx.QueryExecModeSimpleProtocol).Scan(&found)
	return found == mark, err
}
