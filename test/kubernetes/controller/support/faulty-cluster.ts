import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeAuthority } from '../../../support/certificates.ts'
import { anyPorts, startDaemon } from '../../../support/daemon.ts'
import { freePort } from '../../../support/free-port.ts'
import { startCluster } from '../../lab/cluster.ts'
import type { ControlPlane } from '../../lab/control-plane.ts'
import { eventually } from '../../lab/eventually.ts'
import { type AnyObject, type ClusterObjects, openClusterObjects } from './cluster-objects.ts'
import { type ControllerPorts, controllerPorts } from './controller-process.ts'
import { gateway, HOST, httpsListener, route, service, tlsSecret } from './fault-objects.ts'
import { type Relay, startRelay } from './relay.ts'
import { type RequestFlow, startRequestFlow } from './request-flow.ts'

/** An API server behind a relay, and two proxies that reach their control plane through another one. */
export interface FaultyCluster extends AsyncDisposable {
  readonly cluster: ControlPlane
  readonly objects: ClusterObjects
  /** From control planes to the API server. */
  readonly apiRelay: Relay
  /** From proxies to a control plane: the one with {@link ports} at first. */
  readonly xdsRelay: Relay
  /** A file that leads through the relay. */
  readonly kubeconfig: string
  readonly ports: ControllerPorts
  /** Listeners of the first Gateway. */
  readonly httpPort: number
  readonly httpsPort: number
  readonly upstreamPort: number
  readonly secret: AnyObject
  /** Two proxies, and requests to both. */
  startProxies(): Promise<readonly RequestFlow[]>
}

/** Starts all but control plane and proxies. */
export const startFaultyCluster = async (address: string): Promise<FaultyCluster> => {
  await using stack = new AsyncDisposableStack()
  const cluster = stack.use(await startCluster())
  const objects = stack.use(await openClusterObjects(cluster.kubeconfig))
  const apiRelay = stack.use(await startRelay(Number(new URL(cluster.server).port)))
  const ports = await controllerPorts()
  const xdsRelay = stack.use(await startRelay(ports.xds))
  const kubeconfig = join(cluster.folder, 'relayed')
  const text = readFileSync(cluster.kubeconfig, 'utf8')
  writeFileSync(kubeconfig, text.replace(cluster.server, `https://127.0.0.1:${apiRelay.port}`))

  const upstream = createServer((_request, response) => response.end('upstream')).listen(0, address)
  await once(upstream, 'listening')
  stack.defer(() => {
    upstream.close()
    upstream.closeAllConnections()
  })
  const [one, two, httpsPort] = [await freePort(), await freePort(), await freePort()]
  const upstreamPort = (upstream.address() as AddressInfo).port
  const secret = tlsSecret(stack.use(makeAuthority()).issue(HOST))
  const all = [
    ...service(address, upstreamPort),
    secret,
    gateway('one', one, [httpsListener(httpsPort)]),
    gateway('two', two),
    route('0'),
  ]
  for (const object of all) await objects.create(object)

  const startProxies = async (): Promise<readonly RequestFlow[]> => {
    const proxy = async (name: string, port: number) => {
      const daemon = await startDaemon(anyPorts, {
        env: { XDS_ADDRESS: `http://127.0.0.1:${xdsRelay.port}`, NAMESPACE: 'default', GATEWAY: name },
      })
      owned.use(daemon)
      // The first set of resources is another configuration than the empty file.
      await daemon.printed(/(?:configuration in force[^]*){2}/)
      return owned.use(startRequestFlow(port, HOST))
    }
    return await Promise.all([proxy('one', one), proxy('two', two)])
  }
  const owned = stack.move()
  return {
    cluster,
    objects,
    apiRelay,
    xdsRelay,
    kubeconfig,
    ports,
    httpPort: one,
    httpsPort,
    upstreamPort,
    secret,
    startProxies,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

let versions = 0

/**
 * Changes the route, and checks that both proxies use the change and the status of the route is about it, within ten
 * seconds after the fault.
 */
export const assertRecovers = async (
  { objects }: FaultyCluster,
  flows: readonly RequestFlow[],
): Promise<void> => {
  const endedAt = performance.now()
  await recovered(objects, flows, await changeRoute(objects))
  const tookMs = performance.now() - endedAt
  assert.ok(tookMs < RECOVERY_MS, `took ${Math.round(tookMs)} ms`)
}

/** Changes the route; gives the version that replies have from then on. */
export const changeRoute = async (objects: ClusterObjects): Promise<string> => {
  const version = String(++versions)
  const { spec } = route(version)
  await objects.patch(route(version), { spec })
  return version
}

/** Resolves when proxies and statuses have a version. */
export const recovered = async (
  objects: ClusterObjects,
  flows: readonly RequestFlow[],
  version: string,
): Promise<void> => {
  await Promise.all([
    ...flows.map((flow) => flow.replied((reply) => reply.version === version)),
    eventually('the status of the route is right', async () =>
      isAccepted(await objects.read(route(version))) ? true : undefined,
    ),
  ])
}

const isAccepted = ({ metadata, status }: AnyObject): boolean => {
  const { parents = [] } = (status ?? {}) as RouteStatus
  const conditions = parents.flatMap((parent) => parent.conditions)
  return (
    conditions.length >= 4 &&
    conditions.every((one) => one.status === 'True' && one.observedGeneration === metadata.generation)
  )
}

interface RouteStatus {
  readonly parents?: readonly {
    readonly conditions: readonly { readonly status: string; readonly observedGeneration: number }[]
  }[]
}

const RECOVERY_MS = 10_000
