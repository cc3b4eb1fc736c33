import assert from 'node:assert/strict'
import type { Metadata } from '@grpc/grpc-js'
import { after, before, suite, test } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import type { Daemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { picking } from '../support/endpoint-picker.ts'
import type { Processor } from '../support/processor.ts'
import { type ReceivedResponse, sendRequest } from '../support/send-request.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'
import { inferencePool, podsOfPools, startPicker } from './support/inference-pools.ts'
import { serveGateway } from './support/served-gateway.ts'

/*
 * Policies for the Services of endpoint pickers, as they are written in a cluster. The gateway has its own process, and
 * the picker speaks TLS, with a certificate of an authority that nothing knows by itself.
 */

const common = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: any, port: 8080, protocol: HTTP }]
---
kind: Secret
metadata: { namespace: shop, name: key }
stringData: { Authorization: Bearer of-the-gateway }
`

const authorities = (name: string, certificate: string): string => `
---
kind: ConfigMap
metadata: { namespace: shop, name: ${name} }
data: { ca.crt: ${JSON.stringify(certificate)} }
`

/** Policies of `backend` for the Service of the picker of a pool. */
const policy = (pool: string, fields: string): string => `
---
kind: ProxyPolicy
metadata: { namespace: shop, name: ${pool} }
spec:
  targetRefs: [{ group: '', kind: Service, name: ${pool}-picker }]
  backend: ${fields}
`

const backendTls = (pool: string, hostname: string): string => `
---
kind: BackendTLSPolicy
metadata: { namespace: shop, name: ${pool} }
spec:
  targetRefs: [{ group: '', kind: Service, name: ${pool}-picker }]
  validation: { caCertificateRefs: [{ group: '', kind: ConfigMap, name: known }], hostname: ${hostname} }
`

suite('the Service of an endpoint picker', () => {
  const stack = new AsyncDisposableStack()
  let picker: Processor
  let server: EchoUpstream
  let gateway: Daemon
  /** The metadata of the streams, in order. */
  const calls: Metadata[] = []
  const asked = (pool: string): Promise<ReceivedResponse> => sendRequest(gateway.url('web'), `/${pool}`)
  before(async () => {
    const known = stack.use(makeAuthority())
    const other = stack.use(makeAuthority())
    picker = stack.use(await startPicker(known.issue('picker.example')))
    server = stack.use(await startEcho('server'))
    const pools = {
      usual: '',
      known: policy('known', '{ tls: { sni: picker.example, caCertificateRefs: [{ name: known }] } }'),
      other: policy('other', '{ tls: { sni: picker.example, caCertificateRefs: [{ name: other }] } }'),
      misnamed: policy('misnamed', '{ tls: { sni: other.example, caCertificateRefs: [{ name: known }] } }'),
      missing: policy('missing', '{ tls: { caCertificateRefs: [{ name: none }] } }'),
      specified: backendTls('specified', 'picker.example'),
      misspecified: backendTls('misspecified', 'other.example'),
      keyed: policy('keyed', '{ auth: { secretRef: { name: key } } }'),
      keyless: policy('keyless', '{ auth: { secretRef: { name: none } } }'),
      hasty: policy('hasty', '{ http: { requestTimeout: 50ms } }'),
      tunnelled: policy('tunnelled', `{ tunnel: { url: 'http://127.0.0.1:1' } }`),
      changed: policy('changed', `{ transformation: { request: { set: [{ name: x-a, value: '"b"' }] } } }`),
      open: policy('open', `{ tunnel: { url: 'http://127.0.0.1:1' } }`),
      untunnelled: policy('untunnelled', '{ tunnel: { backendRef: { name: none, port: 80 } } }'),
    }
    const objects = [
      common,
      authorities('known', known.cert),
      authorities('other', other.cert),
      podsOfPools,
      ...Object.entries(pools).map(
        ([pool, policies]) =>
          inferencePool(pool, {
            ports: [server.port],
            pickerPort: picker.port,
            failureMode: pool.startsWith('open') ? 'FailOpen' : 'FailClose',
          }) + policies,
      ),
    ]
    gateway = stack.use(
      await serveGateway(goldenGraph(readGoldenObjects(objects.join(''), (text) => text)), 'shop/web'),
    )
    const pick = picking(() => server.host)
    picker.onStream = (stream) => {
      calls.push(stream.metadata)
      pick(stream)
    }
  })
  after(() => stack.disposeAsync())

  test('is called with TLS that is not verified, unless a policy says more', async () => {
    assert.equal(echoed(await asked('usual')).name, 'server')
  })

  test('is verified as a ProxyPolicy has it', async () => {
    assert.equal(echoed(await asked('known')).name, 'server')
    for (const pool of ['other', 'misnamed', 'missing']) {
      const { status, text } = await asked(pool)
      assert.deepEqual([pool, status], [pool, 503])
      assert.match(text, /^endpoint picker failed: /)
    }
  })

  test('is verified as a BackendTLSPolicy has it', async () => {
    assert.equal(echoed(await asked('specified')).name, 'server')
    assert.equal((await asked('misspecified')).status, 503)
  })

  test('gets the credential of a ProxyPolicy, and no request without it', async () => {
    calls.length = 0
    assert.equal(echoed(await asked('keyed')).name, 'server')
    assert.deepEqual(calls[0]?.get('authorization'), ['Bearer of-the-gateway'])
    const { status, text } = await asked('keyless')
    assert.deepEqual(
      [status, text],
      [503, 'endpoint picker failed: ext_proc failed: the processor broke off'],
    )
    assert.equal(calls.length, 1)
  })

  test('has the time that a ProxyPolicy leaves it', async () => {
    const { onStream } = picker
    picker.onStream = (stream) => void stream.on('end', () => stream.end()).resume()
    const { status, text } = await asked('hasty')
    picker.onStream = onStream
    assert.deepEqual(
      [status, text],
      [503, 'endpoint picker failed: ext_proc failed: the processor did not answer in time'],
    )
  })

  test('gets the headers of a ProxyPolicy as metadata', async () => {
    calls.length = 0
    assert.equal(echoed(await asked('changed')).name, 'server')
    assert.deepEqual(calls[0]?.get('x-a'), ['b'])
  })

  test('is not called around the proxy that a ProxyPolicy names', async () => {
    calls.length = 0
    for (const pool of ['tunnelled', 'untunnelled']) {
      const { status, text } = await asked(pool)
      assert.equal(status, 503)
      assert.match(
        text,
        /^endpoint picker failed: (?:ext_proc failed: the processor cannot be reached|upstream call failed: the service cannot be reached)$/,
      )
    }
    assert.equal(echoed(await asked('open')).name, 'server')
    assert.deepEqual(calls, [])
  })
})
