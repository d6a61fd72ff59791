package publish

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// defaultEndpoint is Amazon's.
const defaultEndpoint = "https://s3.amazonaws.com"

// newBucket reads s3://bucket/prefix; its query may say endpoint and region.
func newBucket(u *url.URL, all Options) (*Bucket, error) {
	o := all.S3
	q := u.Query()
	for key := range q {
		if key != "endpoint" && key != "region" {
			return nil, fmt.Errorf("%w: s3:// knows endpoint and region, not %.20q", ErrURL, key)
		}
	}
	if v := q.Get("endpoint"); v != "" {
		o.Endpoint = v
	}
	if v := q.Get("region"); v != "" {
		o.Region = v
	}
	if o.Endpoint == "" {
		o.Endpoint = defaultEndpoint
	}
	at, err := url.Parse(o.Endpoint)
	switch {
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, fmt.Errorf("%w: write s3://bucket/prefix; keys stand in files or in the environment", ErrURL)
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" || strings.Trim(at.Path, "/") != "":
		return nil, fmt.Errorf("%w: the S3 endpoint is http:// or https://, a host and nothing else", ErrURL)
	case (o.AccessKey == "") != (o.SecretKey == ""):
		return nil, fmt.Errorf("%w: S3 needs both access key and secret key, or neither", ErrURL)
	}
	keys := credentials.NewStaticV4(o.AccessKey, o.SecretKey, "")
	if o.AccessKey == "" {
		keys = credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		})
	}
	secure := at.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		return dialWithIdleTimeout(ctx, network, addr, all.IdleTimeout)
	}
	client, err := minio.New(at.Host, &minio.Options{
		Creds: keys, Secure: secure, Region: o.Region, MaxRetries: 3, Transport: refuseOverwrite{transport},
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	return &Bucket{client: client, bucket: u.Host, prefix: strings.Trim(u.Path, "/"), now: all.Now}, nil
}

// refuseOverwrite has the server refuse a name that is taken also where a large object is put together from its parts. The
// client sends the condition of an upload with its beginning only, where it is not heeded.
type refuseOverwrite struct{ http.RoundTripper }

func (n refuseOverwrite) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
		r = r.Clone(r.Context())
		r.Header.Set("If-None-Match", "*")
	}
	return n.RoundTripper.RoundTrip(r)
}
