import { anyPorts } from './daemon.ts'

/** A configuration with everything that is loaded lazily. Its services do not exist. */
export const heavyConfiguration = `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
  - matches: [{ path: { exact: /mcp } }]
    policies:
      mcpGuardrails: { processors: [{ kind: remote, host: "127.0.0.1:1", methods: { tools/call: request } }] }
    backends: [{ mcp: { targets: [{ name: none, mcp: { host: "http://127.0.0.1:1/" } }] } }]
  - policies:
      extAuthz: { host: "127.0.0.1:1", protocol: { grpc: {} }, failureMode: allow }
      remoteRateLimit: { host: "127.0.0.1:1", domain: shop, descriptors: [{ entries: [{ key: path, value: request.path }] }], failureMode: failOpen }
      extProc: { host: "127.0.0.1:1", failureMode: failOpen }
      directResponse: { status: 200, body: all the same }
llm:
  models: [{ name: mock, provider: mock }]
  guardrails: { request: [{ regex: { rules: [{ builtin: phoneNumber }] } }] }
`
