package service

import (
	_ "embed"
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
	// Users may log in, to both families, in addition to the clients of State.
	Users []User
	// State holds onboarded clients, webhook credentials and subscriptions; nil is a new one in memory.
	State *State
	// TrustedProxies are those whose X-Forwarded-For is used; without any the header is ignored.
	TrustedProxies []netip.Prefix
	// SkipURLCheck takes a subscription's URL without looking whether it can be reached.
	SkipURLCheck bool
	// ListStores lists what is planted in the stores' own sales among the planted differences.
	ListStores bool
	// AccessKey is sent to receivers with every notification; default "sandbox-access-key".
	AccessKey string
	// TokenLifetime defaults to one hour.
	TokenLifetime time.Duration
	// SearchToken is the family whose token the transaction search takes, "gateway" or "integration";
	// anything else is "integration".
	SearchToken string
	// Deliveries are the settings of notifications; Faults those of faults by chance.
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
	world         *world.World
	subscriptions *subscriptions
	deliveries    *deliveries
	faults        *faults
	mux           *http.ServeMux
	routes        []string // "METHOD path" of all that addRoute registered
}

// New serves a world.
func New(w *world.World, o Options) *Service {
	o.setDefaults()
	users := slices.Clone(o.Users)
	for i := range users {
		if len(users[i].Addresses) == 0 {
			users[i].Addresses = loopbackPrefixes()
		}
	}
	s := &Service{world: w, subscriptions: &subscriptions{w, o.State, users, o.SkipURLCheck}, mux: http.NewServeMux()}
	s.faults = newFaults(o.Faults, o.Now)
	s.deliveries = newDeliveries(o.Deliveries, w.AsOf(), o.Now, o.AccessKey)
	s.deliveries.target = s.subscriptions.deliveryTarget
	s.deliveries.resumeJournal(w.SetNow)
	w.OnClockMove(s.queueChanges)
	s.addRoutes(&gate{newAuthority(o), users, o.State, o.TrustedProxies}, &o)
	s.addOwnRoutes(&controls{w, o.ListStores})
	return s
}

// setDefaults fills in what is not set. Without a clock it panics.
func (o *Options) setDefaults() {
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
}

// addRoutes adds the handlers of the paths that the interface document has.
func (s *Service) addRoutes(g *gate, o *Options) {
	search := integration
	if o.SearchToken == string(gateway) {
		search = gateway
	}
	gw, in := strings.TrimRight(o.GatewayPrefix, "/"), strings.TrimRight(o.IntegrationPrefix, "/")
	from := &searches{s.world}

	s.addRoute("POST", gw+"/api/auth/token", g.handleLogin(gateway))
	s.addRoute("GET", gw+"/v1/payments-simulator", g.withToken(gateway, handleSimulation))
	s.addRoute("POST DELETE", gw+"/v1/security/webhook-auth", g.withToken(gateway, s.subscriptions.webhookAuth))
	// The document puts the search under the base address of the gateway paths, and describes it among the endpoints
	// of the other family. Choice: a client that took it for one of those is answered as well.
	s.addRoute("POST", gw+searchPath, g.withToken(search, from.searchInstallments))
	s.addRoute("POST", in+searchPath, g.withToken(search, from.searchInstallments))
	s.addRoute("POST", gw+codePath, g.withToken(search, from.searchByCode))
	s.addRoute("POST", in+codePath, g.withToken(search, from.searchByCode))

	s.addRoute("POST", in+"/api/authentication/login", g.handleLogin(integration))
	s.addRoute("GET", in+"/api/billissuer/list/by/due-date", g.withToken(integration, from.slipsByDue))
	s.addRoute("GET", in+"/api/billissuer/list/by/payment-date", g.withToken(integration, from.slipsByPayment))
	s.addRoute("GET", in+"/api/billissuer/list/by/credit-date", g.withToken(integration, from.slipsByCredit))
	s.addRoute("GET", in+"/api/billissuer/information", g.withToken(integration, from.slipDetail))
	s.addRoute("POST GET DELETE", in+"/api/webhooks/subscriptions", g.withToken(integration, s.subscriptions.handleSubscriptions))

	s.addRoute("GET", "/openapi.json", serveDescription(gw, in))
}

// addOwnRoutes adds the handlers of the sandbox's own paths.
func (s *Service) addOwnRoutes(c *controls) {
	s.addRoute("GET", "/sandbox/health", handleHealth)
	s.addRoute("GET", "/sandbox/planted", c.handlePlanted)
	s.addRoute("GET", "/sandbox/banks", c.listBanks)
	s.addRoute("GET", "/sandbox/banks/{bank}/statement", c.downloadStatement)
	s.addRoute("GET POST", "/sandbox/clock", c.handleClock)
	s.addRoute("POST", "/sandbox/pay", c.handlePay)
	s.addRoute("GET", "/sandbox/deliveries", s.listDeliveries)
	s.addRoute("GET POST DELETE", "/sandbox/faults", s.faults.handleFaults)
	s.mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		writeError(rw, http.StatusNotFound, "", "Recurso não encontrado.")
	})
}

const (
	searchPath = "/api/transaction/concil/search-by-operation-date-installments"
	codePath   = "/api/transaction/concil/search-by-code" // only public documentation has it
)

// ServeHTTP answers one request.
func (s *Service) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.faults.serveWithFaults(rw, r, s.mux)
}

// addRoute registers a path for some methods; the others get 405 in the service's own error shape.
func (s *Service) addRoute(methods, path string, h http.HandlerFunc) {
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
		writeError(rw, http.StatusMethodNotAllowed, "", "Método não permitido.")
	})
}

// description is the OpenAPI 3.1 description of everything served, under the default prefixes.
//
//go:embed openapi.json
var description string

// serveDescription serves the description, with the prefixes in force.
func serveDescription(gw, in string) http.HandlerFunc {
	document := strings.NewReplacer("/gateway/", gw+"/", "/integration/", in+"/").Replace(description)
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = rw.Write([]byte(document)) // the client is gone if this fails
	}
}
