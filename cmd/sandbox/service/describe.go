package service

import (
	_ "embed"
	"net/http"
	"strings"
)

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
