import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { httpServer } from '../support/upstream-servers.ts'

const MONTH = '744h'

const configuration = (host: string): string => `${anyPorts}
  connectionTerminationDeadline: ${MONTH}
  backend: { connectTimeout: ${MONTH}, poolIdleTimeout: ${MONTH} }
frontendPolicies:
  http:
    maxConnectionDuration: ${MONTH}
    http1IdleTimeout: ${MONTH}
    headersTimeout: ${MONTH}
    requestBodyTimeout: ${MONTH}
    halfCloseGrace: ${MONTH}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - policies:
      timeout: { requestTimeout: ${MONTH}, backendRequestTimeout: ${MONTH} }
      tcp: { connectTimeout: ${MONTH} }
      http: { requestTimeout: ${MONTH} }
      extAuthz:
        host: ${host}
        protocol: { http: {} }
        policies: { http: { requestTimeout: ${MONTH} }, tcp: { connectTimeout: ${MONTH} } }
    backends: [{ host: ${host} }]
`

test('timeouts may be longer than a timer can be', async () => {
  await using upstream = await httpServer((_req, res) => res.end())
  await using daemon = await startDaemon(configuration(`127.0.0.1:${upstream.port}`))
  for (let i = 0; i < 3; i++) assert.equal((await fetch(daemon.url('default'))).status, 200)
  await daemon.stop()
  assert.doesNotMatch(daemon.output(), /TimeoutOverflowWarning/)
})
