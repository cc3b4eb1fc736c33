package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// replaceFiles swaps the files of a volume in one step, by a symbolic link: a reader sees all old or all new ones.
// `key` is a link to `..data/key`, and `..data` a link to the folder of this version.
func replaceFiles(folder string, wanted files, group *int64) error {
	if sameFiles(filepath.Join(folder, "..data"), wanted) {
		return nil
	}
	version, err := os.MkdirTemp(folder, time.Now().Format("..2006_01_02_15_04_05."))
	if err != nil {
		return err
	}
	if err := os.Chmod(version, 0o755); err != nil {
		return err
	}
	for path, f := range wanted {
		if err := writeFile(filepath.Join(version, path), f, group); err != nil {
			return err
		}
	}
	old, _ := os.Readlink(filepath.Join(folder, "..data"))
	next := filepath.Join(folder, "..data_tmp")
	if err := os.Symlink(filepath.Base(version), next); err != nil {
		return err
	}
	if err := os.Rename(next, filepath.Join(folder, "..data")); err != nil {
		return err
	}
	if err := linkFiles(folder, wanted); err != nil {
		return err
	}
	if old == "" {
		return nil
	}
	return os.RemoveAll(filepath.Join(folder, old))
}

func writeFile(path string, f file, group *int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, f.content, f.mode); err != nil {
		return err
	}
	mode := f.mode
	if group != nil {
		mode |= 0o440
		if err := os.Chown(path, -1, int(*group)); err != nil {
			return err
		}
	}
	return os.Chmod(path, mode)
}

// linkFiles has a link for the first part of each path, and none for what has gone.
func linkFiles(folder string, wanted files) error {
	names := map[string]bool{}
	for path := range wanted {
		name, _, _ := strings.Cut(filepath.Clean(path), "/")
		names[name] = true
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, "..") {
			continue
		}
		if names[name] {
			delete(names, name)
		} else if err := os.Remove(filepath.Join(folder, name)); err != nil {
			return fmt.Errorf("old file: %w", err)
		}
	}
	for name := range names {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

func sameFiles(folder string, wanted files) bool {
	count := 0
	err := filepath.WalkDir(folder+"/", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		count++
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		if f, found := wanted[name]; err != nil || !found || !bytes.Equal(content, f.content) {
			return os.ErrInvalid
		}
		return nil
	})
	return err == nil && count == len(wanted)
}
