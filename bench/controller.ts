/** The control plane at a real API server: 2,000 routes on 20 Gateways with 10,000 endpoints, 20 proxies. */
import { openClusterObjects } from '../test/kubernetes/controller/support/cluster-objects.ts'
import {
  type ControllerLogLine,
  type ControllerProcess,
  startControllerProcess,
} from '../test/kubernetes/controller/support/controller-process.ts'
import { clusterProblem, startCluster } from '../test/kubernetes/lab/cluster.ts'
import { freePort } from '../test/support/free-port.ts'
import { Probe } from './controller/probe.ts'
import {
  endpointSlice,
  gatewayName,
  probeRoute,
  scaleGateways,
  scaleRoutes,
  scaleServices,
} from './controller/scale.ts'
import { openIdleClient } from './controller/xds-clients.ts'
import { concurrently } from './support/concurrently.ts'
import { startGateway } from './support/gateway.ts'
import { residentBytes } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

/** At each of the two proxies. */
const CHANGES = 200
const ENDPOINT_CHANGES = 100

export const controllerFigures = async (): Promise<Figure[]> => {
  const problem = clusterProblem()
  if (problem !== false) throw new Error(problem)
  await using stack = new AsyncDisposableStack()
  const { kubeconfig } = stack.use(await startCluster())
  const objects = stack.use(await openClusterObjects(kubeconfig))
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()))
  await concurrently(
    [...scaleGateways(ports), ...scaleServices(), ...scaleRoutes(), probeRoute(0, 0), probeRoute(1, 0)],
    (object) => objects.create(object),
  )

  const controller = stack.use(await startControllerProcess(kubeconfig))
  const clients = ports
    .slice(2)
    .map((_, index) => stack.use(openIdleClient(controller.ports.xds, gatewayName(index + 2))))
  const largest = await startProxy(stack, controller, 0)
  await startProxy(stack, controller, 1)
  const [largeProbe, probe] = ports.slice(0, 2).map((port) => stack.use(new Probe(port)))
  if (!largeProbe || !probe) throw new Error('there are two proxies')

  const first = await controller.logged(isTranslation)
  const syncedAt = Math.max(...(await Promise.all(clients.map(({ synced }) => synced))))
  await Promise.all([largeProbe.seen(0), probe.seen(0)])
  // Before their first resources, proxies have no port.
  for (const each of [largeProbe, probe]) each.forget()
  const startMs = syncedAt - (Date.parse(first.time) - secondsOf(first) * 1_000)
  await statusesWritten(objects)

  const endpoints = await endpointChanges(controller, objects)
  const changes = await routeChanges(objects, probe, 1, CHANGES)
  let largeChanges: readonly number[] = []
  const turns = await largest.turnsWhile(async () => {
    largeChanges = await routeChanges(objects, largeProbe, 0, CHANGES)
  })
  return [
    {
      name: 'controller.firstSnapshot.s',
      value: startMs / 1_000,
      unit: 's',
      note: 'from the lists to 18 clients',
    },
    {
      name: 'controller.change.p99Ms',
      value: p99(changes),
      unit: 'ms',
      note: `median ${median(changes).toFixed(0)}`,
    },
    {
      name: 'controller.change.largest.p99Ms',
      value: p99(largeChanges),
      unit: 'ms',
      note: `2,000 routes at the proxy; median ${median(largeChanges).toFixed(0)}`,
    },
    {
      name: 'controller.endpoint.ms',
      value: median(endpoints),
      unit: 'ms',
      note: `p99 ${p99(endpoints).toFixed(1)}`,
    },
    { name: 'controller.rssMb', value: residentBytes(controller.pid) / 2 ** 20, unit: 'MB' },
    {
      name: 'controller.proxy.longestTurnMs',
      value: turns.longestCpuMs,
      unit: 'ms',
      note: `CPU; 2,000 routes at the proxy; by the clock ${turns.longestMs.toFixed(1)}, p99 ${turns.p99Ms.toFixed(1)}, requests p99.9 ${largeProbe.quantileMs(0.999).toFixed(1)}, longest ${largeProbe.quantileMs(1).toFixed(1)}`,
    },
    {
      name: 'controller.failed',
      value: largeProbe.failed + probe.failed,
      unit: 'requests',
    },
  ]
}

type Objects = Awaited<ReturnType<typeof openClusterObjects>>

const startProxy = async (stack: AsyncDisposableStack, { ports }: ControllerProcess, index: number) => {
  const gateway = await startGateway(QUIET, {
    XDS_ADDRESS: `http://127.0.0.1:${ports.xds}`,
    NAMESPACE: 'default',
    GATEWAY: gatewayName(index),
  })
  stack.defer(() => gateway.stop())
  return gateway
}

const QUIET = `
config:
  adminAddr: 127.0.0.1:0
  statsAddr: 127.0.0.1:0
  readinessAddr: 127.0.0.1:0
frontendPolicies: { accessLog: { filter: 'false' } }
`

/** The leader writes statuses of all objects first, which is work of its own. */
const statusesWritten = async (objects: Objects): Promise<void> => {
  for (const route of [...scaleRoutes().slice(-1), probeRoute(0, 0), probeRoute(1, 0)])
    while ((await objects.read(route)).status === undefined)
      await new Promise((resolve) => setTimeout(resolve, 50))
}

/** The durations of the translations of endpoints that change one by one, in milliseconds. */
const endpointChanges = async (
  controller: ControllerProcess,
  objects: Objects,
): Promise<readonly number[]> => {
  const took: number[] = []
  for (let change = 0; change < ENDPOINT_CHANGES; change++) {
    const seen = controller.lines.length
    const slice = endpointSlice(change % 10, 1 + (change % 50))
    const translated = controller.logged(
      (line) => controller.lines.indexOf(line) >= seen && isTranslation(line),
    )
    await objects.patch(slice, { endpoints: slice.endpoints })
    took.push(secondsOf(await translated) * 1_000)
  }
  return took
}

/** The times from the response of the API server until the proxy of a Gateway replies with the change. */
const routeChanges = async (
  objects: Objects,
  probe: Probe,
  gateway: number,
  count: number,
): Promise<readonly number[]> => {
  const took: number[] = []
  for (let version = 1; version <= count; version++) {
    const { metadata: _metadata, ...change } = probeRoute(gateway, version)
    await objects.patch(probeRoute(gateway, version), change)
    const began = performance.now()
    await probe.seen(version)
    took.push(performance.now() - began)
  }
  return took
}

const isTranslation = ({ message }: ControllerLogLine): boolean => message === 'translated'

const secondsOf = ({ seconds }: ControllerLogLine): number => Number(seconds)

const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0
