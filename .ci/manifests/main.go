// Command manifests decodes Kubernetes manifests as the API's own types say they are: a member that a type does not have, a value of
// another type, a document twice or of an unknown kind is an error.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	decode "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func main() {
	failed := len(os.Args) < 2
	for _, path := range os.Args[1:] {
		documents, err := checkFile(path)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			failed = true
			continue
		}
		fmt.Fprintf(os.Stdout, "%s: %d documents\n", path, documents)
	}
	if failed {
		os.Exit(1)
	}
}

// checkFile decodes each document of a file and counts them; none is an error.
func checkFile(path string) (documents int, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	reader := decode.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	seen := map[string]bool{}
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return documents, err
		}
		name, err := checkDocument(document)
		if err != nil {
			return documents, fmt.Errorf("document %d: %w", documents+1, err)
		}
		if seen[name] {
			return documents, fmt.Errorf("document %d: %s is there twice", documents+1, name)
		}
		seen[name] = true
		documents++
	}
	if documents == 0 {
		return 0, errors.New("no document")
	}
	return documents, nil
}

// checkDocument decodes a document strictly and returns its kind and name.
func checkDocument(document []byte) (name string, err error) {
	var head struct {
		meta.TypeMeta `json:",inline"`
		Metadata      struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := yaml.Unmarshal(document, &head); err != nil {
		return "", err
	}
	name = head.APIVersion + " " + head.Kind + " " + head.Metadata.Name
	if head.Metadata.Name == "" {
		return name, errors.New(name + ": no name")
	}
	var object any
	switch head.APIVersion + " " + head.Kind {
	case "v1 ConfigMap":
		object = new(core.ConfigMap)
	case "v1 PersistentVolumeClaim":
		object = new(core.PersistentVolumeClaim)
	case "v1 Service":
		object = new(core.Service)
	case "apps/v1 Deployment":
		object = new(apps.Deployment)
	case "batch/v1 CronJob":
		object = new(batch.CronJob)
	default:
		return name, errors.New(name + ": of a kind that is not known here")
	}
	if err := yaml.UnmarshalStrict(document, object); err != nil {
		return name, fmt.Errorf("%s: %w", name, err)
	}
	return name, nil
}
