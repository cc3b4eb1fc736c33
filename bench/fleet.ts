/**
 * 1,000 proxies at one control plane: simulated ones, over gRPC streams of their own, and a real API server. A change
 * comes every second: in turns a route, which the proxies of one Gateway receive, and an endpoint, which all receive.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type ControllerProcess,
  controllerPorts,
  startControllerProcess,
} from '../test/kubernetes/controller/support/controller-process.ts'
import {
  type ClusterObjects,
  openClusterObjects,
} from '../test/kubernetes/controller/support/cluster-objects.ts'
import { clusterProblem, startCluster } from '../test/kubernetes/lab/cluster.ts'
import { changedRoute, fleetObjects, GATEWAYS, sharedAddress, sharedEndpoints } from './fleet/cluster.ts'
import type { FleetCommand, FleetReport } from './fleet/proxies.ts'
import { concurrently } from './support/concurrently.ts'
import { cpuUs, residentBytes } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const PROXIES = 1_000
const CHANGES = 60
const CHANGE_EVERY_MS = 1_000

/** CPU, memory and times of a control plane with a fleet of proxies. */
export const fleetFigures = async (): Promise<Figure[]> => {
  const problem = clusterProblem()
  if (problem !== false) throw new Error(problem)
  await using stack = new AsyncDisposableStack()
  const { kubeconfig } = stack.use(await startCluster())
  const objects = stack.use(await openClusterObjects(kubeconfig))
  await concurrently(fleetObjects(), (object) => objects.create(object))

  const ports = await controllerPorts()
  const controller = stack.use(await startControllerProcess(kubeconfig, { ports }))
  await controller.logged(({ message }) => message === 'translated')
  const fleet = stack.use(startFleet(ports.xds))
  const connected = await fleet.synced()
  await statusesWritten(controller)

  const before = { us: cpuUs(controller.pid), at: performance.now() }
  const { routes, endpoints } = await changes(objects, fleet)
  const cpuShare = (cpuUs(controller.pid) - before.us) / 1_000 / (performance.now() - before.at)
  const rss = residentBytes(controller.pid)

  await controller.end('SIGKILL')
  fleet.send({ sync: true })
  const restartedAt = Date.now()
  stack.use(await startControllerProcess(kubeconfig, { ports }))
  const resumed = await fleet.synced()
  return [
    { name: 'fleet.proxies', value: PROXIES, unit: 'streams', note: `${GATEWAYS} Gateways, 2,100 routes` },
    {
      name: 'fleet.connect.s',
      value: connected.tookMs / 1_000,
      unit: 's',
      note: `until the last proxy is in sync; ${megabytes(connected.bytes)} sent`,
    },
    figureOf('fleet.route.p99Ms', routes, `the last of ${PROXIES / GATEWAYS} proxies`),
    figureOf('fleet.endpoint.p99Ms', endpoints, `the last of ${PROXIES} proxies`),
    { name: 'fleet.cpu', value: cpuShare, unit: 'cores', note: 'with a change each second' },
    { name: 'fleet.rssMb', value: rss / 2 ** 20, unit: 'MB' },
    {
      name: 'fleet.resume.s',
      value: (resumed.at - restartedAt) / 1_000,
      unit: 's',
      note: `after a crash, from the start of the next one; ${megabytes(resumed.bytes)} sent`,
    },
  ]
}

/** The times from the response of the API server until the last proxy has it. */
const changes = async (objects: ClusterObjects, fleet: Fleet) => {
  const routes: number[] = []
  const endpoints: number[] = []
  for (let version = 1; version <= CHANGES; version++) {
    const began = performance.now()
    const isRoute = version % 2 === 1
    const changed = isRoute ? changedRoute(version) : sharedEndpoints(version)
    const { metadata: _metadata, ...part } = changed
    const received = isRoute
      ? fleet.received(`/v${version}-path`, PROXIES / GATEWAYS)
      : fleet.received(sharedAddress(version), PROXIES)
    await objects.patch(changed, part)
    const acceptedAt = Date.now()
    const { lastAt } = await received
    ;(isRoute ? routes : endpoints).push(Math.max(0, lastAt - acceptedAt))
    await delay(Math.max(0, CHANGE_EVERY_MS - (performance.now() - began)))
  }
  return { routes, endpoints }
}

/** The leader writes the statuses of all objects first, which is work of its own. */
const statusesWritten = async (controller: ControllerProcess): Promise<void> => {
  for (let used = cpuUs(controller.pid); ;) {
    await delay(1_000)
    const now = cpuUs(controller.pid)
    if (now - used < 50_000) return
    used = now
  }
}

interface Fleet extends Disposable {
  send(command: FleetCommand): void
  /** When all proxies have a complete set. */
  synced(): Promise<{ readonly at: number; readonly tookMs: number; readonly bytes: number }>
  /** When so many proxies have received a response with this text. */
  received(text: string, count: number): Promise<{ readonly lastAt: number }>
}

const startFleet = (port: number): Fleet => {
  const startedAt = Date.now()
  const child: ChildProcess = fork(
    new URL('./fleet/proxies.ts', import.meta.url),
    [port, GATEWAYS, PROXIES].map(String),
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  )
  const next = async (): Promise<FleetReport> => ((await once(child, 'message')) as [FleetReport])[0]
  const send = (command: FleetCommand) => {
    child.send(command)
  }
  return {
    send,
    synced: async () => {
      const report = await next()
      if (!('syncedAt' in report)) throw new Error(`the fleet reports ${JSON.stringify(report)}`)
      return { at: report.syncedAt, tookMs: report.syncedAt - startedAt, bytes: report.bytes }
    },
    received: async (text, count) => {
      send({ expect: text, count })
      const report = await next()
      if (!('received' in report)) throw new Error(`the fleet reports ${JSON.stringify(report)}`)
      return report
    },
    [Symbol.dispose]: () => {
      child.kill('SIGKILL')
    },
  }
}

const figureOf = (name: string, values: readonly number[], note: string): Figure => ({
  name,
  value: [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0,
  unit: 'ms',
  note: `${note}; median ${median(values).toFixed(0)}`,
})

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`
