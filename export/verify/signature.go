package verify

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"concilia/export/manifest"
)

// checkSignature checks the signature of a manifest, if there is a key to check it with. A signature is listed either way: it
// is no stray file.
func (v *verifier) checkSignature(ctx context.Context, manifestPath string) {
	path := manifest.SignatureName(manifestPath)
	v.listed[path] = true
	if v.key == nil {
		return
	}
	signature, err := manifest.ReadSmallFile(ctx, path, manifest.KeySizeLimit)
	if errors.Is(err, fs.ErrNotExist) {
		v.addFault(path, "verify_fault.missing_is_not_signed", "manifest", filepath.Base(manifestPath))
		return
	}
	var body []byte
	if err == nil {
		body, err = manifest.ReadSmallFile(ctx, manifestPath, manifest.SizeLimit)
	}
	if err == nil {
		err = manifest.CheckSignature(v.key, body, signature)
	}
	if err != nil {
		v.addError(path, err)
		return
	}
	v.report.Signed++
}
