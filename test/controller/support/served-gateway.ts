import { stringify } from 'yaml'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import type { Graph } from '../../../src/controller/graph/graph.ts'
import { gatewayBackendResources } from '../../../src/controller/translate/backend/backend-resources.ts'
import { gatewayRouteResources } from '../../../src/controller/translate/gateway-route-resources.ts'
import { gatewayListenerResources } from '../../../src/controller/translate/listener/gateway-listener-resources.ts'
import { gatewayPolicyResources } from '../../../src/controller/translate/policy/policy-resources.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { echoed } from '../../support/echo-upstream.ts'
import { sendRequest } from '../../support/send-request.ts'
import { goldenConfig } from './golden-config.ts'

/** A configuration with what the proxies of a Gateway get. */
export interface ServedFile {
  readonly binds: readonly { readonly listeners: readonly { readonly routes: readonly object[] }[] }[]
  readonly workloads?: readonly object[]
}

/**
 * What the proxies of a Gateway get. Endpoints are at 127.0.0.1, whatever their address: that of this machine is none
 * that the control plane takes.
 *
 * @param at Of the ports: any free one in place of their own, by default.
 */
export const servedFile = (
  graph: Graph,
  key: string,
  at: object = { port: 0, address: '127.0.0.1' },
): ServedFile => {
  const resources = [
    gatewayListenerResources,
    gatewayRouteResources,
    gatewayBackendResources,
    gatewayPolicyResources,
  ].flatMap((query) => resourcesOf(graph.read(query, key)))
  const file = JSON.parse(goldenConfig(resources)) as ServedFile
  for (const workload of file.workloads ?? []) Object.assign(workload, { workloadIps: ['127.0.0.1'] })
  for (const bind of file.binds) Object.assign(bind, at)
  return file
}

/** Starts a gateway in its own process. */
export const serveFile = (file: ServedFile): Promise<Daemon> => startDaemon(`${anyPorts}${stringify(file)}`)

/** Starts a gateway in its own process with what the proxies of a Gateway get: see `servedFile`. */
export const serveGateway = (graph: Graph, key: string, at?: object): Promise<Daemon> =>
  serveFile(servedFile(graph, key, at))

/** What a request leads to: the echo upstream with what it gets, or the reply. */
export const requestOutcome = async (
  daemon: Daemon,
  url: string,
  headers: Record<string, string> = {},
): Promise<string> => {
  const { host, pathname, search } = new URL(url)
  const reply = await sendRequest(daemon.url('web'), pathname + search, { headers: { ...headers, host } })
  if (reply.headers.location !== undefined) return `${reply.status} ${reply.headers.location}`
  if (reply.status !== 200) return String(reply.status)
  const { name, target, headers: received } = echoed(reply)
  return `${name} ${received.host}${target}`
}
