// Package suite is the conformance suite of the Gateway API inference extension; its options are the flags of the suite
// itself.
package suite

import (
	"testing"
	"time"

	"sigs.k8s.io/gateway-api-inference-extension/conformance"
)

// TestConformance runs what the flags select.
func TestConformance(t *testing.T) {
	options := conformance.DefaultOptions(t)
	// One test waits for three requests in a row that a pool with 30 percent of the weight gets, for each of three pods.
	// Draws come one a second: in 200 seconds, the default, one run in eighty has no such row.
	options.TimeoutConfig.MaxTimeToConsistency = 10 * time.Minute
	conformance.RunConformanceWithOptions(t, options)
}
