package publish

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"concilia/export/words"
)

// S3Options are the settings of a bucket that are not part of its URL. All empty: Amazon's own endpoint, and the
// credentials and the region of the usual AWS environment.
type S3Options struct {
	Endpoint  string // http(s)://host[:port]
	Region    string
	AccessKey string
	SecretKey string
}

// Bucket is a target in an S3 bucket. An object appears when its upload is complete and not before; the server refuses
// the upload if an object of that name exists (If-None-Match).
type Bucket struct {
	client *minio.Client
	bucket string
	prefix string // without slashes around it
	now    func() time.Time
}

// hashKey is the member of an object's metadata that holds the SHA-256 of its bytes.
const hashKey = "Sha256"

// Put publishes a file; see Target.
func (b *Bucket) Put(ctx context.Context, name, local string) error {
	return b.wrapBucketError("publish", name, b.putObject(ctx, name, local))
}

func (b *Bucket) putObject(ctx context.Context, name, local string) error {
	if err := checkName(name); err != nil {
		return err
	}
	file, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	defer file.Close()
	sum, err := hashCopy(ctx, io.Discard, localFile{file})
	if err != nil {
		return err
	}
	key := path.Join(b.prefix, name)
	if _, err := b.client.StatObject(ctx, b.bucket, key, minio.StatObjectOptions{}); err == nil {
		return b.verifyObject(ctx, key, sum)
	}
	// While another upload of the name is under way, the server refuses this one although there is no object to compare
	// with yet. So it is tried again after a pause: by then the other upload has finished or failed.
	for pause := verifyPause; ; pause *= 2 {
		err := b.uploadObject(ctx, key, file, sum)
		if err == nil || isNameTaken(err) {
			err = b.verifyObject(ctx, key, sum)
		}
		if !isNoSuchKey(err) || pause > verifyPause<<verifyRetries {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// A name that another upload may be using is tried again after verifyPause, then after twice that, verifyRetries times.
const (
	verifyPause   = 50 * time.Millisecond
	verifyRetries = 6
)

// uploadObject uploads an object on the condition that none of that name exists.
func (b *Bucket) uploadObject(ctx context.Context, key string, file *os.File, sum digest) error {
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	o := minio.PutObjectOptions{
		UserMetadata: map[string]string{hashKey: hex.EncodeToString(sum[:])}, ContentType: "application/octet-stream",
	}
	o.SetMatchETagExcept("*")
	_, err = b.client.PutObject(ctx, b.bucket, key, localFile{file}, size, o)
	return err
}

// isNoSuchKey reports whether the server has no object of that name.
func isNoSuchKey(err error) bool {
	var r minio.ErrorResponse
	return errors.As(err, &r) && r.Code == minio.NoSuchKey
}

// isNameTaken reports whether the server refused because an object of the name exists or is being uploaded.
func isNameTaken(err error) bool {
	var r minio.ErrorResponse
	return errors.As(err, &r) && (r.StatusCode == http.StatusPreconditionFailed || r.StatusCode == http.StatusConflict)
}

// verifyObject reads an object back and compares it with the hash it should have; ErrTaken when they differ.
func (b *Bucket) verifyObject(ctx context.Context, key string, sum digest) error {
	object, err := b.client.GetObject(ctx, b.bucket, key, minio.GetObjectOptions{})
	if err != nil {
		return err
	}
	defer func() { _ = object.Close() }()
	have, err := hashCopy(ctx, io.Discard, object)
	if err != nil {
		return err
	}
	if have != sum {
		return words.NewFault("target_fault.taken_hash", "", "taken", ErrTaken, "have", have, "want", sum)
	}
	return nil
}

// Read reads a published file; see Target.
func (b *Bucket) Read(ctx context.Context, name string) ([]byte, error) {
	out, err := b.readObject(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, words.NewFault("target_fault.read", "", "name", name, "cause", err)
	}
	return out, b.wrapBucketError("read", name, err)
}

func (b *Bucket) readObject(ctx context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	object, err := b.client.GetObject(ctx, b.bucket, path.Join(b.prefix, name), minio.GetObjectOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = object.Close() }()
	out, err := io.ReadAll(io.LimitReader(object, maxRead+1))
	switch {
	case isNoSuchKey(err):
		return nil, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case err == nil && len(out) > maxRead:
		err = words.NewFault("target_fault.more", "", "most", maxRead)
	}
	return out, err
}

// Withdraw removes a file; see Target.
func (b *Bucket) Withdraw(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return b.wrapBucketError("withdraw", name, err)
	}
	// S3 reports no error when the object does not exist.
	err := b.client.RemoveObject(ctx, b.bucket, path.Join(b.prefix, name), minio.RemoveObjectOptions{})
	return b.wrapBucketError("withdraw", name, err)
}

// Stage makes a directory on this machine, and aborts unfinished uploads of killed processes; see Target.
func (b *Bucket) Stage(ctx context.Context) (dir string, release func(), err error) {
	if ok, err := b.client.BucketExists(ctx, b.bucket); err != nil || !ok {
		if err == nil {
			err = fmt.Errorf("%w%w", words.NewFault("target_fault.no_bucket", "", "bucket", b.bucket), silentError{fs.ErrPermission})
		}
		return "", nil, b.wrapBucketError("stage", "", err)
	}
	if b.now == nil {
		return stageLocally(ctx)
	}
	before := b.now().Add(-staleAfter)
	below := b.prefix
	if below != "" {
		below += "/" // a longer prefix that begins alike is another target's
	}
	for half := range b.client.ListIncompleteUploads(ctx, b.bucket, below, true) {
		if half.Err == nil && half.Initiated.Before(before) {
			// Abort by upload id, since another upload of the same name may be under way. A failure does not stop the run.
			_ = minio.Core{Client: b.client}.AbortMultipartUpload(ctx, b.bucket, half.Key, half.UploadID)
		}
	}
	return stageLocally(ctx)
}

// wrapBucketError makes an Error that names the bucket, without its credentials.
func (b *Bucket) wrapBucketError(op, name string, err error) error {
	var refused minio.ErrorResponse
	if errors.As(err, &refused) && refused.Code != "" {
		also := err
		if isPermanentCode(refused.Code) {
			also = errors.Join(fs.ErrPermission, err)
		}
		err = fmt.Errorf("s3://%s: %s: %s%w", b.bucket, refused.Code, refused.Message, silentError{also})
	}
	return wrapTargetError(op, name, err)
}

// isPermanentCode reports whether the server refused the keys or their permissions, so that a retry is of no use.
func isPermanentCode(code string) bool {
	switch code {
	case "AccessDenied", "AllAccessDisabled", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken",
		"XAdminUserNotFound": // of versitygw
		return true
	}
	return false
}

// silentError wraps an error for errors.As and errors.Is, with an empty text.
type silentError struct{ error }

func (silentError) Error() string { return "" }

// Unwrap is the error.
func (q silentError) Unwrap() error { return q.error }

var _ Target = (*Bucket)(nil)

// defaultEndpoint is Amazon's.
const defaultEndpoint = "https://s3.amazonaws.com"

// newBucket parses s3://bucket/prefix; its query may set endpoint and region.
func newBucket(u *url.URL, all Options) (*Bucket, error) {
	o := all.S3
	q := u.Query()
	for key := range q {
		if key != "endpoint" && key != "region" {
			return nil, newURLError("target_fault.s3_parameter", "name", words.Quote(key, 20))
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
		return nil, newURLError("target_fault.s3_form")
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" || strings.Trim(at.Path, "/") != "":
		return nil, newURLError("target_fault.s3_endpoint")
	case (o.AccessKey == "") != (o.SecretKey == ""):
		return nil, newURLError("target_fault.s3_keys")
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

// refuseOverwrite adds the If-None-Match condition to the request that completes a multipart upload. The client sends it
// only with the request that begins the upload, where the server ignores it.
type refuseOverwrite struct{ http.RoundTripper }

func (n refuseOverwrite) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
		r = r.Clone(r.Context())
		r.Header.Set("If-None-Match", "*")
	}
	return n.RoundTripper.RoundTrip(r)
}
