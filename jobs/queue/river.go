package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// RiverOptions configure a queue. Fields are required unless described as optional or with a default.
type RiverOptions struct {
	DSN    string // of the Postgres that holds the ledger and River's tables
	Ledger *store.Ledger
	// Group identifies the processes that may do each other's units: those with one program version, set of documents
	// and service. A worker sees no units of other groups.
	Group    string
	Worker   string     // identifies this process; empty: its host and process id
	Parallel func() int // units at a time in this process, at least 1; called by each Do and Work
	// Fatal reports whether an error of a unit would affect every other unit of this process too, so that a worker has
	// to end. nil: no error would.
	Fatal func(error) bool
	// OnFinishedElsewhere is called for each unit of Do that another process finished. nil: no call.
	OnFinishedElsewhere func(ledger.WorkUnit)
	Now                 func() time.Time // wall clock
	Log                 *slog.Logger     // for River and the worker
}

// River is the queue of a ledger on Postgres: the units of a run go to the process that leads it and to every worker of
// its group. River delivers units, retries failed ones and rescues those of dead workers; the rows of the units record
// what is done, so that each takes effect once.
type River struct {
	RiverOptions

	pool       *pgxpool.Pool
	insert     *river.Client[pgx.Tx]
	inProgress unitSet
}

// riverConnections is the number of a queue's database connections, in addition to those of the ledger: one listens, the
// others fetch, complete and lead.
const riverConnections = 4

// OpenRiver opens the queue of a migrated ledger. Close closes it.
func OpenRiver(ctx context.Context, o RiverOptions) (*River, error) {
	if o.Ledger == nil || o.Group == "" || o.Parallel == nil || o.Now == nil || o.Log == nil {
		return nil, errors.New("open the job queue: a ledger, a group, a number of units, a clock and a log are needed")
	}
	config, err := sqldb.ParsePostgres(o.DSN)
	if err != nil {
		return nil, fmt.Errorf("open the job queue: %w", err)
	}
	config.MaxConns = riverConnections
	o.Worker = cmp.Or(o.Worker, o.Ledger.ThisWorker())
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the job queue: %w", err)
	}
	insert, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: o.Log})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open the job queue: %w", err)
	}
	return &River{RiverOptions: o, pool: pool, insert: insert, inProgress: unitSet{names: map[string]bool{}}}, nil
}

// Close returns the connections. No call may be in progress.
func (r *River) Close() { r.pool.Close() }

// queueName is the name under which River keeps the group's jobs of a kind of unit.
func (r *River) queueName(k ledger.UnitKind) string {
	if isHeavy(k) {
		return "heavy-" + r.Group
	}
	return "units-" + r.Group
}

// isHeavy reports whether units of a kind need a transaction and much memory for a long time: a process does one of them at a
// time.
func isHeavy(k ledger.UnitKind) bool { return k != ledger.PullUnit && k != ledger.RangeUnit }

const (
	// maxJobsPerStatement bounds the jobs that one statement inserts or deletes.
	maxJobsPerStatement = 1000
	// offerTimeout is how long to wait for a database that restarts.
	offerTimeout = 20 * time.Second
)

// offerUnits offers the units to the workers of the group, the last first: the process that leads the run begins with the
// first, so that they meet only near the end. A unit that was offered before with the same number of attempts is not offered
// twice. It returns the ids of the units' jobs in River.
func (r *River) offerUnits(ctx context.Context, units []ledger.WorkUnit) (jobs []int64, err error) {
	var params []river.InsertManyParams
	for i := range units {
		u := &units[len(units)-1-i]
		params = append(params, river.InsertManyParams{Args: argsOf(u), InsertOpts: &river.InsertOpts{
			Queue: r.queueName(u.Kind), MaxAttempts: jobAttempts, UniqueOpts: river.UniqueOpts{ByArgs: true},
		}})
	}
	for part := range slices.Chunk(params, maxJobsPerStatement) {
		// Jobs are unique, so a retry after a lost answer inserts none twice.
		inserted, err := backoff.Retry(ctx, func() ([]*rivertype.JobInsertResult, error) {
			return r.insert.InsertMany(ctx, part)
		}, backoff.WithMaxElapsedTime(offerTimeout))
		if err != nil {
			return jobs, fmt.Errorf("offer %d units to the workers: %w", len(part), err)
		}
		for _, job := range inserted {
			jobs = append(jobs, job.Job.ID)
		}
	}
	return jobs, nil
}

// withdrawJobs deletes the jobs that no worker has started, since there may never be a worker. A running job ends by itself.
func (r *River) withdrawJobs(ctx context.Context, jobs []int64) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	for part := range slices.Chunk(jobs, maxJobsPerStatement) {
		// An error is harmless: a job of a finished unit, or of a run without a leader, ends as soon as it starts.
		_, _ = r.insert.JobDeleteMany(ctx, river.NewJobDeleteManyParams().IDs(part...).First(maxJobsPerStatement))
	}
}

// The timeouts of jobs, and after how long River rescues the job of a silent worker. The lease of a unit ends long before,
// so these only clean up abandoned jobs.
const (
	pullTimeout = 15 * time.Minute
	longTimeout = 6 * time.Hour // a range of days, or an account of millions of rows
	rescueAge   = pullTimeout + time.Minute
	// jobAttempts is how often River delivers a job. The process that leads the run may do the unit at any time.
	jobAttempts = 3
)
