package service

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"concilia/cmd/sandbox/world"
)

// Options of the service; the zero value of each member but Users and Now means its default.
type Options struct {
	GatewayPrefix     string // default "/gateway"
	IntegrationPrefix string // default "/integration"
	// Users may log in, to both families, beside the clients of State.
	Users []User
	// State holds onboarded clients, webhook credentials and subscriptions; nil is a new one in memory.
	State *State
	// TrustedProxies may say in X-Forwarded-For where a request comes from; without any the header is ignored.
	TrustedProxies []netip.Prefix
	// SkipURLCheck takes a subscription's URL without looking whether it can be reached.
	SkipURLCheck bool
	// AccessKey is sent to receivers with every notification; default "sandbox-access-key".
	AccessKey string
	// TokenLifetime defaults to one hour.
	TokenLifetime time.Duration
	// SearchToken is the family whose token the transaction search takes, "gateway" or "integration";
	// anything else is "integration".
	SearchToken string
	// Deliveries say how notifications are sent; Faults what goes wrong by chance.
	Deliveries DeliveryOptions
	Faults     FaultOptions
	// Now is the wall clock of tokens, deliveries and faults. Required: without it New panics.
	Now func() time.Time
}

// User is a credential given at start instead of by onboarding.
type User struct {
	Name, Password string
	Addresses      []netip.Prefix // none: loopback only
	Accounts       []int64        // none: every account
}

// Service answers requests; it is safe for concurrent use.
type Service struct {
	world        *world.World
	auth         *authority
	users        []User
	state        *State
	proxies      []netip.Prefix
	skipURLCheck bool
	accessKey    string
	deliveries   *deliveries
	faults       *faults
	mux          *http.ServeMux
	routes       []string // "METHOD path" of all that handle registered
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
	if o.AccessKey == "" {
		o.AccessKey = "sandbox-access-key"
	}
	if o.State == nil {
		o.State = &State{data: newStateData()}
	}
	if o.Now == nil {
		panic("service: no wall clock; set Options.Now")
	}
	search := integration
	if o.SearchToken == string(gateway) {
		search = gateway
	}
	s := &Service{
		world: w, auth: newAuthority(o), users: slices.Clone(o.Users), state: o.State, proxies: o.TrustedProxies,
		skipURLCheck: o.SkipURLCheck, accessKey: o.AccessKey, mux: http.NewServeMux(),
	}
	for i := range s.users {
		if len(s.users[i].Addresses) == 0 {
			s.users[i].Addresses = loopback()
		}
	}
	s.faults = newFaults(o.Faults, o.Now)
	s.deliveries = newDeliveries(o.Deliveries, w.AsOf(), o.Now, o.AccessKey)
	s.deliveries.target = s.target
	s.deliveries.resume(w.SetNow)
	w.Watch(s.moved)
	gw, in := strings.TrimRight(o.GatewayPrefix, "/"), strings.TrimRight(o.IntegrationPrefix, "/")

	s.handle("POST", gw+"/api/auth/token", s.login(gateway))
	s.handle("GET", gw+"/v1/payments-simulator", s.withToken(gateway, s.simulate))
	s.handle("POST DELETE", gw+"/v1/security/webhook-auth", s.withToken(gateway, s.webhookAuth))
	// The document puts the search under the base address of the gateway paths, and describes it among the endpoints
	// of the other family. Choice: a client that took it for one of those is answered as well.
	s.handle("POST", gw+searchPath, s.withToken(search, s.searchInstallments))
	s.handle("POST", in+searchPath, s.withToken(search, s.searchInstallments))
	s.handle("POST", gw+codePath, s.withToken(search, s.searchByCode))
	s.handle("POST", in+codePath, s.withToken(search, s.searchByCode))

	s.handle("POST", in+"/api/authentication/login", s.login(integration))
	s.handle("GET", in+"/api/billissuer/list/by/due-date", s.withToken(integration, s.slipsByDue))
	s.handle("GET", in+"/api/billissuer/list/by/payment-date", s.withToken(integration, s.slipsByPayment))
	s.handle("GET", in+"/api/billissuer/list/by/credit-date", s.withToken(integration, s.slipsByCredit))
	s.handle("GET", in+"/api/billissuer/information", s.withToken(integration, s.slipDetail))
	s.handle("POST GET DELETE", in+"/api/webhooks/subscriptions", s.withToken(integration, s.subscriptions))

	s.handle("GET", "/openapi.json", describe(gw, in))
	s.handle("GET", "/sandbox/health", s.health)
	s.handle("GET", "/sandbox/planted", s.planted)
	s.handle("GET POST", "/sandbox/clock", s.clock)
	s.handle("GET", "/sandbox/deliveries", s.listDeliveries)
	s.handle("GET POST DELETE", "/sandbox/faults", s.faults.orders)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		fail(rw, http.StatusNotFound, "", "Recurso não encontrado.")
	})
	return s
}

const (
	searchPath = "/api/transaction/concil/search-by-operation-date-installments"
	codePath   = "/api/transaction/concil/search-by-code" // only public documentation has it
)

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(rw http.ResponseWriter, r *http.Request) { s.faults.spoil(rw, r, s.mux) }

// handle registers a path for some methods; the others get 405 in the service's own error shape.
func (s *Service) handle(methods, path string, h http.HandlerFunc) {
	allowed := strings.Fields(methods)
	for _, m := range allowed {
		s.routes = append(s.routes, m+" "+path)
	}
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
