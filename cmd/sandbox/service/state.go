package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// State is what the operator remembers of its clients: who they are, their webhook credentials and their
// subscriptions. It lives in memory, or in a file that survives a restart. Several processes may share a
// file: each change takes the lock, reads what the others left, and replaces the file whole; each look
// notices a file that was replaced. A State is safe for concurrent use.
type State struct {
	path string // empty: memory

	mu   sync.Mutex
	data *stateData  // never changed once it is here
	seen os.FileInfo // the file data was read from; nil when there was none
}

// stateData is the file's content.
type stateData struct {
	Version int      `json:"version"`
	Clients []Client `json:"clients"`
	// Credentials are the Basic texts of webhook-auth by user name. They are sent to receivers and so
	// can't be kept hashed: the file is readable by its owner only.
	Credentials map[string]string `json:"webhookCredentials"`
	// Subscriptions by account number.
	Subscriptions map[int64]subscription `json:"subscriptions"`
}

// subscription is where an account's notifications go.
type subscription struct {
	URL       string `json:"url"`
	BasicAuth string `json:"basicAuth,omitempty"`
}

// stateVersion is the one form of the file there has been.
const stateVersion = 1

// OpenState opens the state in a file, which need not exist yet; an empty path keeps it in memory.
func OpenState(path string) (*State, error) {
	s := &State{path: path, data: newStateData()}
	if err := s.reloadFile(); err != nil {
		return nil, err
	}
	return s, nil
}

// Clients are the onboarded clients, in the order they came.
func (s *State) Clients() []Client { return slices.Clone(s.view().Clients) }

func newStateData() *stateData {
	return &stateData{Version: stateVersion, Credentials: map[string]string{}, Subscriptions: map[int64]subscription{}}
}

func (d *stateData) copyData() *stateData {
	return &stateData{
		Version: d.Version, Clients: slices.Clone(d.Clients),
		Credentials: maps.Clone(d.Credentials), Subscriptions: maps.Clone(d.Subscriptions),
	}
}

// view is the state as of now, not to be changed. A file that can't be read leaves what was last read in
// force; the next change returns the error.
func (s *State) view() *stateData {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.reloadFile()
	return s.data
}

// changeState changes the state, in the file too, or leaves both as they were.
func (s *State) changeState(change func(*stateData) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path != "" {
		unlock, err := lockFile(s.path + ".lock")
		if err != nil {
			return fmt.Errorf("locking state file %s: %w", s.path, err)
		}
		defer unlock()
		if err := s.reloadFile(); err != nil {
			return err
		}
	}
	next := s.data.copyData()
	if err := change(next); err != nil {
		return err
	}
	if s.path != "" {
		if err := s.replaceFile(next); err != nil {
			return fmt.Errorf("writing state file %s: %w", s.path, err)
		}
	}
	s.data = next
	return nil
}

// reloadFile reads the file again if another one is there than was read last.
func (s *State) reloadFile() error {
	if s.path == "" {
		return nil
	}
	info, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.data, s.seen = newStateData(), nil
		return nil
	case err != nil:
		return fmt.Errorf("state file: %w", err)
	case s.seen != nil && os.SameFile(info, s.seen) && info.ModTime().Equal(s.seen.ModTime()) && info.Size() == s.seen.Size():
		return nil
	}
	b, err := os.ReadFile(s.path)
	if err != nil {
		return fmt.Errorf("state file: %w", err)
	}
	data := newStateData()
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(data); err != nil {
		return fmt.Errorf("state file %s: %w; mend it or move it away", s.path, err)
	}
	if data.Version != stateVersion {
		return fmt.Errorf("state file %s: version %d, this program knows %d", s.path, data.Version, stateVersion)
	}
	// A null in place of a map would make the next change panic.
	if data.Credentials == nil {
		data.Credentials = map[string]string{}
	}
	if data.Subscriptions == nil {
		data.Subscriptions = map[int64]subscription{}
	}
	s.data, s.seen = data, info
	return nil
}

// replaceFile replaces the file: a reader finds the old content or the new, whole. CreateTemp gives mode 0600.
func (s *State) replaceFile(d *stateData) error {
	b, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), "."+filepath.Base(s.path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone already when all went well
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.path); err != nil {
		return err
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	s.seen = info
	return nil
}
