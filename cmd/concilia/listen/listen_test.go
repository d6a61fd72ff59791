package listen_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/listen"
)

// The console is served like the receiver: what keeps a server from serving names its address and not what the other one does.
func TestServerThatFailsNamesItsAddress(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	err = listen.ServeUntil(t.Context(), listen.NewServer(http.NotFoundHandler(), zerolog.Nop()), listener)
	if err == nil || !strings.HasPrefix(err.Error(), "serve at 127.0.0.1:") {
		t.Errorf("%v", err)
	}
}
