package service_test

import "strings"

// docRequest is what a documented operation is driven with.
type docRequest struct{ query, body string }

// driven is an operation's requests: good ones, and bad ones that must give 400.
type driven struct{ good, bad []docRequest }

const testWindow = "accountNumber=1002&startDate=2026-09-01&endDate=2027-03-01"

// operations are the requests of every operation of the description. Requests without token, from a
// stranger's address and with a spoilt state file are made from the good ones.
func operations(receiver, slip, sale, unpaid string) map[string]driven {
	list := driven{[]docRequest{{query: testWindow}}, []docRequest{{}, {query: testWindow + "x"}}}
	byCode := driven{
		[]docRequest{{query: "accountNumber=1002&" + sale}},
		[]docRequest{{}, {query: "accountNumber=1001&Nsu=1"}, {query: "accountNumber=1001&CodAuth=A&Nsu=" + strings.Repeat("1", 101)}},
	}
	login := driven{[]docRequest{{body: goodLogin}}, []docRequest{{body: `{}`}, {body: `{"userName":"` + strings.Repeat("x", 31) + `","password":"x"}`}}}
	account := []docRequest{{query: "accountNumber=1001"}}
	return map[string]driven{
		"POST /gateway/api/auth/token":                         login,
		"POST /integration/api/authentication/login":           login,
		"GET /integration/api/billissuer/list/by/due-date":     list,
		"GET /integration/api/billissuer/list/by/payment-date": list,
		"GET /integration/api/billissuer/list/by/credit-date": {
			append([]docRequest{{query: testWindow + "&statusIntegration=2"}}, list.good...), append([]docRequest{{query: testWindow + "&statusIntegration=3"}}, list.bad...),
		},
		"POST /gateway/api/transaction/concil/search-by-operation-date-installments":     list,
		"POST /integration/api/transaction/concil/search-by-operation-date-installments": list,
		"POST /gateway/api/transaction/concil/search-by-code":                            byCode,
		"POST /integration/api/transaction/concil/search-by-code":                        byCode,
		"GET /integration/api/billissuer/information": {
			[]docRequest{{query: "accountNumber=1001&id=" + slip}, {query: "accountNumber=1001&id_bill=" + slip}, {query: "accountNumber=1001&id=x"}, {query: "id=" + slip}, {}}, nil,
		},
		"GET /gateway/v1/payments-simulator": {
			[]docRequest{{query: "Brand=visa&netValue=1000"}, {query: "Brand=ELO&netValue=0.01"}}, []docRequest{{query: "Brand=diners&netValue=1000"}, {query: "Brand=visa"}},
		},
		"POST /gateway/v1/security/webhook-auth": {
			[]docRequest{{body: `{"basic":"Basic dTpw"}`}}, []docRequest{{body: `{}`}, {body: `{"basic":"Bearer dTpw"}`}, {body: `{"basic":"Basic *"}`}, {body: `{"basic":"Basic dTpw"}`}},
		},
		"DELETE /gateway/v1/security/webhook-auth": {[]docRequest{{}, {}}, nil},
		"POST /integration/api/webhooks/subscriptions": {
			[]docRequest{{account[0].query, `{"url":"` + receiver + `","basicAuth":"dTpw"}`}, {account[0].query, `{"url":"` + receiver + `"}`}},
			[]docRequest{{"", `{"url":"` + receiver + `"}`}, {account[0].query, `{}`}, {account[0].query, `{"url":"ftp://x","basicAuth":"u:p"}`}},
		},
		"GET /integration/api/webhooks/subscriptions":    {account, []docRequest{{}, {query: "accountNumber=7"}}},
		"DELETE /integration/api/webhooks/subscriptions": {append(account, account...), []docRequest{{}}},
		"GET /openapi.json":                              {good: []docRequest{{}}},
		"GET /sandbox/health":                            {good: []docRequest{{}}},
		"GET /sandbox/deliveries":                        {[]docRequest{{}, {query: "state=pending&limit=1"}}, []docRequest{{query: "state=lost"}}},
		"GET /sandbox/faults":                            {good: []docRequest{{}}},
		"DELETE /sandbox/faults":                         {good: []docRequest{{}}},
		// Armed so late that nothing here meets it.
		"POST /sandbox/faults": {[]docRequest{{body: `{"endpoint":"simulator","kind":"429","after":1000000,"retry_after":1}`}}, []docRequest{{body: `{}`}}},
		"GET /sandbox/planted": {good: []docRequest{{}}},
		"GET /sandbox/banks":   {good: []docRequest{{}}},
		"GET /sandbox/banks/{bank}/statement": {
			[]docRequest{{}, {query: "format=cnab"}, {query: "format=csv&from=2026-11-10&to=2026-11-12"}},
			[]docRequest{{query: "format=pdf"}, {query: "from=2026-11-12&to=2026-11-10"}, {query: "to=2999-01-01"}},
		},
		"GET /sandbox/clock":  {good: []docRequest{{}}},
		"POST /sandbox/pay":   {[]docRequest{{body: `{"subject":"` + unpaid + `"}`}, {body: `{"subject":"` + unpaid + `"}`}}, []docRequest{{body: `{}`}, {body: `{"subject":"card:1001"}`}}},
		"POST /sandbox/clock": {[]docRequest{{body: `{"advance_days":0}`}, {body: `{"now":"2026-11-18T09:00:00Z"}`}}, []docRequest{{body: `{}`}}},
	}
}
