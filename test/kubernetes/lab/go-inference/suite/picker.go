package suite

// The endpoint picker that the suite deploys is a program of the same module: go.mod has what it needs as well.
import _ "sigs.k8s.io/gateway-api-inference-extension/cmd/epp/runner"
