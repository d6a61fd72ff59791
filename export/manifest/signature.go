package manifest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"concilia/export/words"
)

// The types of the PEM blocks of keys: PKCS #8 and SubjectPublicKeyInfo, which other tools read, too.
const (
	privateKeyType = "PRIVATE KEY"
	publicKeyType  = "PUBLIC KEY"
)

// KeySizeLimit bounds what is read as a key or a signature.
const KeySizeLimit = 8 << 10

// signaturePrefix begins the one line of a signature; the public key and the signature follow in base64.
const signaturePrefix = "ed25519 "

// SignatureName returns the name of the signature of a manifest.
func SignatureName(manifest string) string {
	return strings.TrimSuffix(manifest, ".json") + ".sig"
}

// Sign returns the signature file of the bytes of a manifest.
func Sign(key ed25519.PrivateKey, manifest []byte) string {
	public, _ := key.Public().(ed25519.PublicKey)
	encode := base64.StdEncoding.EncodeToString
	return signaturePrefix + encode(public) + " " + encode(ed25519.Sign(key, manifest)) + "\n"
}

// CheckSignature returns why a signature file is none of a manifest by the key, or nil. A nil key means the key that the
// file names, which proves only that neither of the two files was changed alone.
func CheckSignature(key ed25519.PublicKey, manifest, signature []byte) error {
	rest, ok := strings.CutPrefix(string(signature), signaturePrefix)
	public, signed, both := strings.Cut(strings.TrimSuffix(rest, "\n"), " ")
	named, err := base64.StdEncoding.DecodeString(public)
	sum, err2 := base64.StdEncoding.DecodeString(signed)
	switch {
	case !ok || !both || err != nil || err2 != nil || len(named) != ed25519.PublicKeySize:
		return words.NewFault("key_fault.no_signature", "")
	case key != nil && !bytes.Equal(key, named):
		return words.NewFault("key_fault.other_key", "")
	case !ed25519.Verify(named, manifest, sum):
		return words.NewFault("key_fault.does_not_fit", "")
	}
	return nil
}

// WriteKeys makes a key and writes its private part to a new file for this user alone, and its public part next to it, with .pub
// after the name. Existing files are left.
func WriteKeys(path string) error {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	open, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path + ".pub"); err == nil {
		return fmt.Errorf("%s.pub: %w", path, fs.ErrExist)
	}
	if err := writeNewFile(path, 0o600, pem.EncodeToMemory(&pem.Block{Type: privateKeyType, Bytes: secret})); err != nil {
		return err
	}
	return writeNewFile(path+".pub", 0o644, pem.EncodeToMemory(&pem.Block{Type: publicKeyType, Bytes: open}))
}

func writeNewFile(path string, mode fs.FileMode, text []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// ReadSigningKey reads the private part of a key.
func ReadSigningKey(path string) (ed25519.PrivateKey, error) {
	der, err := readKeyBlock(path, privateKeyType)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if private, ok := key.(ed25519.PrivateKey); ok && err == nil {
		return private, nil
	}
	return nil, words.NewFault("key_fault.no_key", "", "path", path)
}

// ReadVerifyKey reads the public part of a key.
func ReadVerifyKey(path string) (ed25519.PublicKey, error) {
	der, err := readKeyBlock(path, publicKeyType)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if public, ok := key.(ed25519.PublicKey); ok && err == nil {
		return public, nil
	}
	return nil, words.NewFault("key_fault.no_key", "", "path", path)
}

// readKeyBlock reads the only PEM block of a file. No error shows what is in it.
func readKeyBlock(path, kind string) ([]byte, error) {
	body, err := ReadSmallFile(context.Background(), path, KeySizeLimit)
	if err != nil {
		return nil, err
	}
	block, rest := pem.Decode(body)
	if block == nil || block.Type != kind || len(bytes.TrimSpace(rest)) > 0 {
		return nil, words.NewFault("key_fault.one_block", "", "path", path, "kind", fmt.Sprintf("%q", kind))
	}
	return block.Bytes, nil
}
