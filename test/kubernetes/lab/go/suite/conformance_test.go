// Package suite is the conformance suite of Gateway API; its options are the flags of the suite itself.
package suite

import (
	"testing"

	"sigs.k8s.io/gateway-api/conformance"
)

// TestConformance runs what the flags select.
func TestConformance(t *testing.T) { conformance.RunConformance(t) }
