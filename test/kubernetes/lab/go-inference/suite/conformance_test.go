// Package suite is the conformance suite of the Gateway API inference extension; its options are the flags of the suite
// itself.
package suite

import (
	"testing"

	"sigs.k8s.io/gateway-api-inference-extension/conformance"
)

// TestConformance runs what the flags select.
func TestConformance(t *testing.T) { conformance.RunConformance(t) }
