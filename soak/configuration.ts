import { fileURLToPath } from 'node:url'

/** Addresses that the configuration names. */
export interface Addresses {
  readonly http: string
  readonly keys: string
  /** Files of the certificate for TLS. */
  readonly certFile: string
  readonly keyFile: string
}

const demoMcpServer = fileURLToPath(new URL('../config/demo-mcp-server.js', import.meta.url))

/** Paths of the service; other paths belong to the language models. */
const plainPaths = ['ok', 'slow', 'large', 'broken', 'reset', 'events', 'socket']

/** Time after which idle things end. Short, so that nothing is left two minutes after the load. */
const idleSeconds = 20

/**
 * The configuration of the gateway. Its variants differ in headers, limits, the number of routes and their policies,
 * so that each reload compiles, adds and removes something.
 */
export const configurationOf = ({ http, keys, certFile, keyFile }: Addresses, variant: number): string => `
config:
  adminAddr: 127.0.0.1:0
  statsAddr: 127.0.0.1:0
  readinessAddr: 127.0.0.1:0
  logging: { format: json }
  session: { key: '${'0123456789abcdef'.repeat(4)}' }
  mcp: { sessionTtl: ${idleSeconds}s }
  backend: { poolIdleTimeout: ${idleSeconds}s }
  modelCatalog:
    - inline: { providers: { mock: { models: { mock: { rates: { input: '2', output: '10' } } } } } }
frontendPolicies:
  accessLog: { filter: 'response.code >= 500 && response.code != 503' }
  http: { http1IdleTimeout: ${idleSeconds}s }
  admission: { lag: 60s } # a machine that is busy with tests is no reason to refuse requests
gateways:
  default: { port: 0, address: 127.0.0.1 }
  secure: { port: 0, address: 127.0.0.1, tls: { cert: '${certFile}', key: '${keyFile}' } }
routes:
  - name: retried
    matches: [{ path: { pathPrefix: /flaky } }]
    policies:
      retry: { attempts: 3, codes: [503] }
      responseHeaderModifier: { set: { x-variant: '${variant}' } }
    backends: [{ host: '${http}' }]
  - name: authenticated
    matches: [{ path: { pathPrefix: /private } }]
    policies:
      urlRewrite: { path: { prefix: /ok } }
      jwtAuth:
        mode: strict
        issuer: soak
        audiences: [soak]
        jwks: { url: 'http://${keys}/keys' }
      authorization: { rules: ['jwt.sub.startsWith("user-")'] }
      localRateLimit: [{ maxTokens: ${1_000_000 + variant}, tokensPerFill: 100000, fillInterval: 1s }]
    backends: [{ host: '${http}' }]
  - name: mcp
    matches: [{ path: { exact: /mcp } }]
    backends:
      - mcp:
          targets:
            - name: demo
              minIdle: 0 # a prestarted program would outlive the load by five minutes
              stdio: { cmd: '${process.execPath}', args: ['${demoMcpServer}'] }
  - name: dead
    matches: [{ path: { pathPrefix: /dead } }]
    backends: [{ host: '127.0.0.1:1' }]
  - name: ejected
    matches: [{ path: { pathPrefix: /balanced } }]
    policies:
      retry: { attempts: 2, codes: [503] }
      health: { eviction: { consecutiveFailures: 2, duration: 5s } }
    backends: [{ host: '${http}' }, { host: '127.0.0.1:1' }]
${Array.from({ length: variant % 5 }, (_, i) => extraRoute(i, http)).join('')}  - name: plain
    gateways: [default, secure]
    matches: [${plainPaths.map((path) => `{ path: { pathPrefix: /${path} } }`).join(', ')}]
    backends: [{ host: '${http}' }]
llm:
  models:
    - { name: mock, provider: mock }
    - { name: translated, provider: { mock: { formats: [messages] } } }
  guardrails:
    request:
      - regex: { action: reject, rules: [{ pattern: 'forbidden-[a-z]+' }] }
    response:
      - regex: { rules: [{ builtin: email }] }
    streaming: Enabled
`

const extraRoute = (number: number, host: string): string => `  - name: extra-${number}
    matches: [{ path: { pathPrefix: /extra-${number} } }]
    policies: { requestHeaderModifier: { set: { x-extra: '${number}' } } }
    backends: [{ host: '${host}' }]
`

/** A file that cannot be used; the configuration in force stays. */
export const invalidConfiguration = 'gateways: { default: { port: 0, adress: 127.0.0.1 } }\n'
