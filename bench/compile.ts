/** Compiling 2,000 routes, and changes of one of them: the time, and how long a turn of the event loop takes. */
import { ConfigurationCompiler } from '../src/config/compile.ts'
import { parseConfig } from '../src/config/parse.ts'
import type { Listener, Resources, Route } from '../src/model/resources/resources.ts'
import type { Workload } from '../src/model/resources/service.ts'
import { faultReply } from '../src/pipeline/fault-reply.ts'
import { Registry } from '../src/upstream/registry.ts'
import { type Figure, median } from './support/report.ts'

const ROUTES = 2_000
const CHANGES = 40

export const compileFigures = async (): Promise<Figure[]> => [
  ...(await figuresOf('oneListener', configuration(1))),
  ...(await figuresOf('twentyListeners', configuration(20))),
]

const figuresOf = async (name: string, resources: Resources): Promise<Figure[]> => {
  // The first is slow because the code is not optimised yet: a gateway has that once.
  const cold = await measured(resources)
  const warm = await measured(resources)
  return [
    {
      name: `compile.${name}.turnMs`,
      value: Math.max(cold.turnMs, warm.turnMs),
      unit: 'ms',
      note: `longest turn; ${cold.firstMs.toFixed(0)} ms in all, then ${warm.firstMs.toFixed(0)}`,
    },
    {
      name: `compile.${name}.routeMs`,
      value: median(warm.routeMs),
      unit: 'ms',
      note: `a changed route; at most ${Math.max(...warm.routeMs).toFixed(1)}`,
    },
    {
      name: `compile.${name}.endpointsMs`,
      value: median(warm.endpointsMs),
      unit: 'ms',
      note: `changed endpoints of a service; at most ${Math.max(...warm.endpointsMs).toFixed(1)}`,
    },
  ]
}

const measured = async (first: Resources) => {
  const registry = new Registry()
  const compiler = new ConfigurationCompiler({ registry, rescuer: faultReply() })
  const compile = async (resources: Resources): Promise<number> => {
    const began = performance.now()
    await compiler.compile({ resources, hash: '', isUpdate: true })
    return performance.now() - began
  }
  const turns = longestTurn()
  const firstMs = await compile(first)
  const turnMs = await turns.end()
  const routeMs: number[] = []
  const endpointsMs: number[] = []
  let resources = first
  for (let i = 0; i < CHANGES; i++) {
    resources = withRoute(resources, i)
    routeMs.push(await compile(resources))
    resources = withEndpoint(resources, i)
    endpointsMs.push(await compile(resources))
  }
  await registry.close()
  return { firstMs, turnMs, routeMs, endpointsMs }
}

/** Measures turns of the event loop until it is ended. */
const longestTurn = (): { readonly end: () => Promise<number> } => {
  let longest = 0
  let isEnded = false
  let began = performance.now()
  const ended = Promise.withResolvers<number>()
  const turn = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - began)
    began = now
    if (isEnded) ended.resolve(longest)
    else setImmediate(turn)
  }
  setImmediate(turn)
  return {
    end: () => {
      isEnded = true
      return ended.promise
    },
  }
}

const withRoute = (resources: Resources, i: number): Resources => {
  const change = (listener: Listener): Listener => ({
    ...listener,
    routes: listener.routes.map((route, at) => (at === i * 2 ? changed(route, i) : route)),
  })
  const [first, ...others] = resources.binds
  if (!first) throw new Error('there is no bind')
  return { ...resources, binds: [{ ...first, listeners: first.listeners.map(change) }, ...others] }
}

const changed = (route: Route, i: number): Route => ({
  ...route,
  policies: { ...route.policies, timeout: { requestTimeoutMs: 1_000 + i } },
})

const withEndpoint = (resources: Resources, i: number): Resources => ({
  ...resources,
  workloads: resources.workloads.map((workload, at) => (at === i * 5 ? moved(workload, i) : workload)),
})

const moved = (workload: Workload, i: number): Workload => ({ ...workload, addresses: [`10.9.0.${i + 1}`] })

/** Each route has a service of its own with five endpoints; a policy is attached to each gateway. */
const configuration = (gateways: number): Resources => {
  const names = Array.from({ length: gateways }, (_, i) => `g${i}`)
  const numbers = Array.from({ length: ROUTES }, (_, i) => i)
  const file = {
    gateways: Object.fromEntries(names.map((name, i) => [name, { port: 20_000 + i }])),
    policies: names.map((name) => ({
      name: { name: `headers-${name}` },
      target: { gateway: { gatewayName: name } },
      policy: { responseHeaderModifier: { set: { 'x-gateway': name } } },
    })),
    routes: numbers.map((i) => ({
      name: `r${i}`,
      gateways: `g${i % gateways}`,
      hostnames: [`host-${i % 50}.test`],
      matches: [{ path: { pathPrefix: `/service-${i}` } }],
      backends: [{ service: { name: `default/s${i}.test`, port: 80 } }],
    })),
    services: numbers.map((i) => ({
      ...{ name: `s${i}`, namespace: 'default', hostname: `s${i}.test`, ports: { 80: 8080 } },
    })),
    workloads: numbers.flatMap((i) =>
      Array.from({ length: 5 }, (_, at) => ({
        uid: `w${i}-${at}`,
        name: `w${i}-${at}`,
        namespace: 'default',
        workloadIps: [`10.${at}.${i >> 8}.${i & 255}`],
        services: { [`default/s${i}.test`]: { 80: 8080 } },
      })),
    ),
  }
  return parseConfig(JSON.stringify(file), 'bench.yaml', {}, noFiles).resources
}

const noFiles = { read: () => ({ problem: 'is not there' }) }
