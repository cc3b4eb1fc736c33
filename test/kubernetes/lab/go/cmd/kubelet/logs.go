package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// processLog has the output of a process: by lines, and in a file for people.
type processLog struct {
	mu      sync.Mutex
	file    *os.File
	partial []byte
	lines   []logLine
	// dropped counts the lines that are no longer kept.
	dropped int
	closed  bool
}

type logLine struct {
	at   time.Time
	text string
}

const maxLines = 100_000

func (c *container) openLog() (*processLog, error) {
	folder := filepath.Join(c.worker.pods.node.folder, "logs")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(folder, c.logName()), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return &processLog{file: file}, err
}

func (l *processLog) Write(chunk []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.file.Write(chunk)
	l.partial = append(l.partial, chunk...)
	for {
		line, rest, found := bytes.Cut(l.partial, []byte("\n"))
		if !found {
			return len(chunk), nil
		}
		l.lines = append(l.lines, logLine{at: time.Now(), text: string(line)})
		l.partial = rest
		if len(l.lines) > maxLines {
			l.lines = append([]logLine{}, l.lines[maxLines/2:]...)
			l.dropped += maxLines/2 + 1
		}
	}
}

func (l *processLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.file.Close()
}

// from gives the lines after the first `count` ever written.
func (l *processLog) from(count int) (lines []logLine, next int, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	skip := min(max(count-l.dropped, 0), len(l.lines))
	return l.lines[skip:], l.dropped + len(l.lines), l.closed
}

// serveLogs is what the API server calls for the logs of a pod.
func serveLogs(w http.ResponseWriter, r *http.Request, c *container) {
	query := r.URL.Query()
	run := c.current()
	if query.Get("previous") == "true" {
		run = c.last
	}
	if run == nil {
		http.Error(w, "the container has not run", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	since := sinceOf(query.Get("sinceTime"), query.Get("sinceSeconds"))
	lines, next, closed := run.log.from(0)
	if tail, err := strconv.Atoi(query.Get("tailLines")); err == nil && tail < len(lines) {
		lines = lines[len(lines)-tail:]
	}
	for {
		for _, line := range lines {
			if line.at.Before(since) {
				continue
			}
			if query.Get("timestamps") == "true" {
				fmt.Fprint(w, line.at.UTC().Format(time.RFC3339Nano), " ")
			}
			fmt.Fprintln(w, line.text)
		}
		if query.Get("follow") != "true" || closed {
			return
		}
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
		lines, next, closed = run.log.from(next)
	}
}

func sinceOf(at, seconds string) time.Time {
	if parsed, err := time.Parse(time.RFC3339, at); err == nil {
		return parsed
	}
	if count, err := strconv.Atoi(seconds); err == nil {
		return time.Now().Add(-time.Duration(count) * time.Second)
	}
	return time.Time{}
}
