//go:build unix

package main

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store/storetest"
)

// TestRemoteTargets: processes that share a Postgres publish to a bucket and to an SFTP server what a single process
// publishes to a folder: the same names and bytes, .done last in every set, no hidden files left. The process that leads, which
// alone uploads, is killed in the middle of it; then the target refuses the keys, or is down, and recovers. With CONCILIA_LONG=1 each
// of it happens to a night of its own, too, and the target breaks off every upload.
func TestRemoteTargets(t *testing.T) {
	built, s := machines(t)
	want := undisturbed(t, built, s)
	for _, target := range []struct {
		name string
		open func(*testing.T) *remote
	}{{"s3", newRemoteS3}, {"sftp", newRemoteSFTP}} {
		for _, c := range []struct {
			name string
			live []disturbance
			long bool // it waits for most of its time, or what it holds is nearly held by others
		}{
			{"the leader is killed while it uploads, then the keys are refused", []disturbance{leaderDies, refusedForANight}, target.name != "s3"},
			{"the leader is killed while it uploads, then keys and server fail", []disturbance{leaderDies, refusedForANight, downForANight}, target.name == "s3"},
			{"the leader is killed while it uploads", []disturbance{leaderDies}, true},
			{"the server is down for a night", []disturbance{downForANight}, true},
			{"the server breaks off every upload for a night", []disturbance{brokenForANight}, true},
			{"the keys are refused for a night", []disturbance{refusedForANight}, true},
		} {
			t.Run(target.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				if c.long && os.Getenv("CONCILIA_LONG") != "1" {
					t.Skip("run with CONCILIA_LONG=1")
				}
				n := &remoteNight{shared: newShared(t, built.concilia, storetest.FreshPostgres(t), s), at: target.open(t)}
				n.reports = n.at.root
				n.env = append(n.at.env, "XDG_CACHE_HOME="+n.dir, "TMPDIR="+t.TempDir())
				for _, happens := range c.live {
					happens(t, n)
				}
				n.recovers(t)
				if diff := cmp.Diff(want, n.remains(t)); diff != "" {
					t.Errorf("one process and a folder (-), this night (+):\n%s", diff)
				}
				n.whole(t)
			})
		}
	}
}

// disturbance is what happens to a night, which it survives.
type disturbance func(*testing.T, *remoteNight)

// remoteNight is a night that publishes to a server.
type remoteNight struct {
	*shared
	at *remote
}

// stopUploads lets every upload wait in its middle, and gives where each begins; what it returns lets them go.
func (n *remoteNight) stopUploads(t *testing.T) (begun <-chan string, release func()) {
	t.Helper()
	begins, gate := make(chan string, 1000), make(chan struct{})
	n.at.onUpload(func(dir string) error {
		begins <- dir
		<-gate
		return nil
	})
	var done bool
	release = func() {
		if !done {
			done = true
			n.at.onUpload(nil)
			close(gate)
		}
	}
	t.Cleanup(release)
	return begins, release
}

// begins waits for an upload.
func begins(t *testing.T, begun <-chan string, who *process) {
	t.Helper()
	select {
	case <-begun:
	case <-time.After(patience):
		t.Fatalf("no upload has begun:\n%s", who.said())
	}
}

func leaderDies(t *testing.T, n *remoteNight) {
	begun, release := n.stopUploads(t)
	first := n.start(t, "run")
	begins(t, begun, first)
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.wait(t)
	release()
}

func downForANight(t *testing.T, n *remoteNight) {
	n.at.setDown(true)
	n.fails(t, "check the target")
	n.at.setDown(false)
}

func brokenForANight(t *testing.T, n *remoteNight) {
	n.at.onUpload(func(string) error { return errors.New("broken off") })
	n.fails(t, "check the target")
	n.at.onUpload(nil)
}

func refusedForANight(t *testing.T, n *remoteNight) {
	right := n.env
	_, other := newSSHKey(t)
	n.env = append(append([]string{}, right...),
		"CONCILIA_REPORTS_S3_SECRET_KEY_FILE="+secretFile(t, n.dir, "wrong", "not-the-secret"),
		"CONCILIA_REPORTS_SFTP_KEY_FILE="+secretFile(t, n.dir, "other", other))
	n.fails(t, "check the keys")
	n.env = right
}
