package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// image says what stands for an image of containers: folders and files of this machine, and what runs.
type image struct {
	// Match is a part of the image's name; the first image that matches is taken.
	Match string `json:"match"`
	// Mounts has sources by their paths in the container; they are read-only there.
	Mounts map[string]string `json:"mounts"`
	// Links has targets of symbolic links by their paths.
	Links      map[string]string `json:"links"`
	Entrypoint []string          `json:"entrypoint"`
	// Args stand where the container has none.
	Args    []string          `json:"args"`
	Folder  string            `json:"folder"`
	Env     map[string]string `json:"env"`
	User    int64             `json:"user"`
	Folders []string          `json:"folders"`
}

// findImage reads the table anew, so that a new build is taken when a container starts next.
func findImage(file, name string) (*image, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var images []image
	if err := json.Unmarshal(text, &images); err != nil {
		return nil, err
	}
	for i := range images {
		if strings.Contains(name, images[i].Match) {
			return &images[i], nil
		}
	}
	return nil, fmt.Errorf("nothing stands for image %s", name)
}
