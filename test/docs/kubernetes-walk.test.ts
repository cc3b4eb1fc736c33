import assert from 'node:assert/strict'
import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { configOf } from '../controller/support/scripted-api.ts'
import { type StandInApi, startStandInApi } from '../controller/support/stand-in-api.ts'
import { xdsToken } from '../support/xds/xds-token.ts'
import { anyPorts } from '../support/daemon.ts'
import { startCoveredProgram } from '../support/covered-program.ts'
import { freePort } from '../support/free-port.ts'
import { ownAddress } from '../support/own-address.ts'
import { sendRequest } from '../support/send-request.ts'
import { startUpstream } from '../support/upstream.ts'

const group = 'gateway.networking.k8s.io'
const namespace = 'shop'
const listeners = 'src/controller/translate/listener/gateway-listeners.ts'

const [, section = ''] =
  /\n### A route of Kubernetes\n([^]*?)\n##+ /.exec(readFileSync('ARCHITECTURE.md', 'utf8')) ?? []
const [controlPlane = '', proxy = ''] = section.split('\nThen each proxy:\n')
const steps = (part: string): readonly string[] => part.match(/^\d+\. .*$/gm) ?? []
const filesIn = (text: string): readonly string[] =>
  [...text.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, path = '']) => path)

test('the code walk of a route of Kubernetes', async (t) => {
  await t.test('has steps that name files', () => {
    assert.deepEqual([steps(controlPlane).length, steps(proxy).length], [9, 5])
    for (const step of [...steps(controlPlane), ...steps(proxy)]) assert.ok(filesIn(step).length > 0, step)
    assert.deepEqual(
      filesIn(section).filter((path) => !existsSync(path)),
      [],
    )
  })

  await t.test('names only files that run, from the event of the watch to the reply', async (t) => {
    const address = ownAddress()
    if (address === undefined) {
      t.skip('this machine has no address but loopback, which no endpoint may have')
      return
    }
    await using upstream = await startUpstream((_, res) => res.end('of the cart'), address)
    await using api = await startStandInApi()
    const [port, xdsPort] = [await freePort(), await freePort()]
    setObjects(api, port, upstream.host)
    using folder = mkdtempDisposableSync(join(tmpdir(), 'walk-'))
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder.path, name), text)
      return join(folder.path, name)
    }
    await using controller = startCoveredProgram('src/controller/main.ts', [], {
      KUBECONFIG: file('kubeconfig', configOf(api.origin).exportConfig()),
      AGW_AGENTGATEWAY_XDS_SERVICE_PORT: String(xdsPort),
      AGW_HEALTH_PORT: '0',
      AGW_METRICS_PORT: '0',
      AGW_ADMIN_PORT: '0',
    })
    await api.until(`${group}/gateways`, `${namespace}/web`, ({ status }) => status !== undefined)
    await using gateway = startCoveredProgram('src/main.ts', ['-f', file('gateway.yaml', anyPorts)], {
      XDS_ADDRESS: `http://127.0.0.1:${xdsPort}`,
      XDS_AUTH_TOKEN: file('token', xdsToken(`${namespace}/web`)),
      NAMESPACE: namespace,
      GATEWAY: 'web',
    })
    const get = () => sendRequest(`http://127.0.0.1:${port}`, '/cart')
    await gateway.printed(new RegExp(`listens on \\S+:${port}`))
    assert.equal((await get()).status, 404)
    // What starting has executed does not count: listeners were evaluated then, and the value is kept.
    const [earlier] = await Promise.all([controller.executed(), gateway.executed()])
    assert.ok(earlier.includes(listeners))

    api.objects.set(`${group}/httproutes`, `${namespace}/cart`, route)
    while ((await get()).text !== 'of the cart') await pause(10)
    await api.until(`${group}/httproutes`, `${namespace}/cart`, ({ status }) => status !== undefined)

    const missing = (part: string, executed: readonly string[]) =>
      filesIn(part).filter((path) => !executed.includes(path))
    assert.deepEqual(missing(controlPlane, await controller.executed()), [listeners])
    assert.deepEqual(missing(proxy, await gateway.executed()), [])
  })
})

const route = {
  apiVersion: `${group}/v1`,
  kind: 'HTTPRoute',
  metadata: { namespace, name: 'cart', generation: 1 },
  spec: {
    parentRefs: [{ name: 'web' }],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/cart' } }],
        filters: [{ type: 'RequestHeaderModifier', requestHeaderModifier: { remove: ['x-debug'] } }],
        backendRefs: [{ name: 'cart', port: 80 }],
      },
    ],
  },
}

/** A Gateway, and the Service that the route will refer to. */
const setObjects = ({ objects }: StandInApi, port: number, upstream: string): void => {
  const [address = '', number] = upstream.split(':')
  objects.set('/namespaces', namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: {} },
  })
  objects.set(`${group}/gateways`, `${namespace}/web`, {
    apiVersion: `${group}/v1`,
    kind: 'Gateway',
    metadata: { namespace, name: 'web', uid: 'gateway-uid', generation: 1 },
    spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
  })
  objects.set('/services', `${namespace}/cart`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name: 'cart' },
    spec: { ports: [{ port: 80, protocol: 'TCP' }] },
  })
  objects.set('discovery.k8s.io/endpointslices', `${namespace}/cart-1`, {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace, name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } },
    addressType: 'IPv4',
    ports: [{ port: Number(number), protocol: 'TCP' }],
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
  })
}
