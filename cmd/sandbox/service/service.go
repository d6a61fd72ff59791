package service

import (
	"net/http"
	"strings"
	"time"

	"concilia/cmd/sandbox/world"
)

// Options of the service; the zero value of each member but Users and Now means its default.
type Options struct {
	GatewayPrefix     string // default "/gateway"
	IntegrationPrefix string // default "/integration"
	// Users may log in, to both families. Without any, nobody can.
	Users []User
	// TokenLifetime defaults to one hour.
	TokenLifetime time.Duration
	// SearchToken is the family whose token the transaction search takes, "gateway" or "integration";
	// anything else is "integration".
	SearchToken string
	// Now is the wall clock of tokens. Required: without it New panics.
	Now func() time.Time
}

// User is a credential issued by the operator.
type User struct{ Name, Password string }

// Service answers requests; it is safe for concurrent use.
type Service struct {
	world *world.World
	auth  *authority
	mux   *http.ServeMux
}

// New serves a world.
func New(w *world.World, o Options) *Service {
	if o.GatewayPrefix == "" {
		o.GatewayPrefix = "/gateway"
	}
	if o.IntegrationPrefix == "" {
		o.IntegrationPrefix = "/integration"
	}
	if o.TokenLifetime == 0 {
		o.TokenLifetime = time.Hour
	}
	if o.Now == nil {
		panic("service: no wall clock; set Options.Now")
	}
	search := integration
	if o.SearchToken == string(gateway) {
		search = gateway
	}
	s := &Service{world: w, auth: newAuthority(o), mux: http.NewServeMux()}
	gw, in := strings.TrimRight(o.GatewayPrefix, "/"), strings.TrimRight(o.IntegrationPrefix, "/")

	s.handle("POST", gw+"/api/auth/token", s.login(gateway))
	s.handle("GET", gw+"/v1/payments-simulator", s.withToken(gateway, s.simulate))
	// The document gives the search path without saying which base it belongs to: both serve it.
	s.handle("POST", gw+searchPath, s.withToken(search, s.searchInstallments))
	s.handle("POST", in+searchPath, s.withToken(search, s.searchInstallments))

	s.handle("POST", in+"/api/authentication/login", s.login(integration))
	s.handle("GET", in+"/api/billissuer/list/by/due-date", s.withToken(integration, s.slipsByDue))
	s.handle("GET", in+"/api/billissuer/list/by/payment-date", s.withToken(integration, s.slipsByPayment))
	s.handle("GET", in+"/api/billissuer/list/by/credit-date", s.withToken(integration, s.slipsByCredit))
	s.handle("GET", in+"/api/billissuer/information", s.withToken(integration, s.slipDetail))

	s.handle("GET", "/sandbox/health", s.health)
	s.handle("GET", "/sandbox/planted", s.planted)
	s.handle("GET POST", "/sandbox/clock", s.clock)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		fail(rw, http.StatusNotFound, "", "Recurso não encontrado.")
	})
	return s
}

const searchPath = "/api/transaction/concil/search-by-operation-date-installments"

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(rw http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(rw, r) }

// handle registers a path for some methods; the others get 405 in the service's own error shape.
func (s *Service) handle(methods, path string, h http.HandlerFunc) {
	allowed := strings.Fields(methods)
	s.mux.HandleFunc(path, func(rw http.ResponseWriter, r *http.Request) {
		for _, m := range allowed {
			if r.Method == m {
				h(rw, r)
				return
			}
		}
		rw.Header().Set("Allow", strings.Join(allowed, ", "))
		fail(rw, http.StatusMethodNotAllowed, "", "Método não permitido.")
	})
}
