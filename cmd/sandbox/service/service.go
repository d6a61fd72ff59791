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
	world        *world.World
	auth         *authority
	users        []User
	state        *State
	proxies      []netip.Prefix
	skipURLCheck bool
	accessKey    string
	listStores   bool
	deliveries   *deliveries
	faults       *faults
	mux          *http.ServeMux
	routes       []string // "METHOD path" of all that handle registered
}

// New serves a world.
func New(w *world.World, o Options) *Service {
	o.setDefaults()
	s := &Service{
		world: w, auth: newAuthority(o), users: slices.Clone(o.Users), state: o.State, proxies: o.TrustedProxies,
		skipURLCheck: o.SkipURLCheck, accessKey: o.AccessKey, listStores: o.ListStores, mux: http.NewServeMux(),
	}
	for i := range s.users {
		if len(s.users[i].Addresses) == 0 {
			s.users[i].Addresses = loopbackPrefixes()
		}
	}
	s.faults = newFaults(o.Faults, o.Now)
	s.deliveries = newDeliveries(o.Deliveries, w.AsOf(), o.Now, o.AccessKey)
	s.deliveries.target = s.deliveryTarget
	s.deliveries.resumeJournal(w.SetNow)
	w.OnClockMove(s.queueChanges)
	s.addRoutes(&o)
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

// addRoutes adds the handlers of every path.
func (s *Service) addRoutes(o *Options) {
	search := integration
	if o.SearchToken == string(gateway) {
		search = gateway
	}
	gw, in := strings.TrimRight(o.GatewayPrefix, "/"), strings.TrimRight(o.IntegrationPrefix, "/")

	s.addRoute("POST", gw+"/api/auth/token", s.handleLogin(gateway))
	s.addRoute("GET", gw+"/v1/payments-simulator", s.withToken(gateway, s.handleSimulation))
	s.addRoute("POST DELETE", gw+"/v1/security/webhook-auth", s.withToken(gateway, s.webhookAuth))
	// The document puts the search under the base address of the gateway paths, and describes it among the endpoints
	// of the other family. Choice: a client that took it for one of those is answered as well.
	s.addRoute("POST", gw+searchPath, s.withToken(search, s.searchInstallments))
	s.addRoute("POST", in+searchPath, s.withToken(search, s.searchInstallments))
	s.addRoute("POST", gw+codePath, s.withToken(search, s.searchByCode))
	s.addRoute("POST", in+codePath, s.withToken(search, s.searchByCode))

	s.addRoute("POST", in+"/api/authentication/login", s.handleLogin(integration))
	s.addRoute("GET", in+"/api/billissuer/list/by/due-date", s.withToken(integration, s.slipsByDue))
	s.addRoute("GET", in+"/api/billissuer/list/by/payment-date", s.withToken(integration, s.slipsByPayment))
	s.addRoute("GET", in+"/api/billissuer/list/by/credit-date", s.withToken(integration, s.slipsByCredit))
	s.addRoute("GET", in+"/api/billissuer/information", s.withToken(integration, s.slipDetail))
	s.addRoute("POST GET DELETE", in+"/api/webhooks/subscriptions", s.withToken(integration, s.handleSubscriptions))

	s.addRoute("GET", "/openapi.json", serveDescription(gw, in))
	s.addRoute("GET", "/sandbox/health", s.handleHealth)
	s.addRoute("GET", "/sandbox/planted", s.handlePlanted)
	s.addRoute("GET", "/sandbox/banks", s.listBanks)
	s.addRoute("GET", "/sandbox/banks/{bank}/statement", s.downloadStatement)
	s.addRoute("GET POST", "/sandbox/clock", s.handleClock)
	s.addRoute("POST", "/sandbox/pay", s.handlePay)
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

// The sandbox's own paths. Choice: they need no token, since the sandbox listens on loopback by default.

func (s *Service) handleHealth(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, http.StatusOK, map[string]string{"status": "ok"})
}

func (s *Service) handlePlanted(rw http.ResponseWriter, _ *http.Request) {
	all := s.world.Planted()
	if s.listStores {
		all = append(all, s.world.PlantedInStores()...)
	}
	writeJSON(rw, http.StatusOK, all)
}

// clockMove is the body of POST /sandbox/clock: exactly one member.
type clockMove struct {
	Now         *time.Time `json:"now"`
	AdvanceDays *int       `json:"advance_days"`
}

// maxAdvance bounds one move of the clock: ten years.
const maxAdvance = 3660

// handleClock shows the business clock, after moving it on POST; it may move either way.
func (s *Service) handleClock(rw http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var m clockMove
		if !readStrictJSON(rw, r, &m) {
			return
		}
		to, bad := m.computeTarget(s.world.Now())
		if bad.writeIfAny(rw) {
			return
		}
		s.world.SetNow(to)
	}
	writeJSON(rw, http.StatusOK, map[string]string{"now": s.world.Now().UTC().Format(time.RFC3339)})
}

// computeTarget returns where a move takes the clock, or what is wrong with it. Years that RFC 3339 can't express are refused,
// since the clock could not be moved back from there.
func (m clockMove) computeTarget(now time.Time) (to time.Time, bad problems) {
	switch {
	case (m.Now == nil) == (m.AdvanceDays == nil):
		bad.add("now", `want {"now":"2026-11-18T09:00:00Z"} or {"advance_days":1}`)
	case m.Now != nil:
		to = *m.Now
	case *m.AdvanceDays < -maxAdvance || *m.AdvanceDays > maxAdvance:
		bad.add("advance_days", "want -3660 to 3660")
	default:
		to = now.AddDate(0, 0, *m.AdvanceDays)
	}
	if y := to.UTC().Year(); len(bad) == 0 && (y < 1 || y > 9999) {
		bad.add("now", "the clock goes from the year 1 to the year 9999")
	}
	return to, bad
}

// payment is the body of POST /sandbox/pay.
type payment struct {
	Subject string `json:"subject"`
}

// handlePay has the service pay what it was planted to owe. It is forgotten when the sandbox ends.
func (s *Service) handlePay(rw http.ResponseWriter, r *http.Request) {
	var p payment
	if !readStrictJSON(rw, r, &p) {
		return
	}
	var bad problems
	if !s.world.Pay(p.Subject) {
		bad.add("subject", "nothing of this subject was planted to stay unpaid: GET /sandbox/planted lists RECEIVED_OVERDUE and SLIP_CREDIT_OVERDUE")
	}
	if bad.writeIfAny(rw) {
		return
	}
	writeJSON(rw, http.StatusOK, map[string]string{"subject": p.Subject, "visible_from": world.DateOf(s.world.Now().AddDate(0, 0, 1)).String()})
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
