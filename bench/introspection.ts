/** What the pages about live work cost traffic, with 5,000 pending requests, 5,000 idle connections and 20 callers. */
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stopAll } from './proxy.ts'
import { configuration, type Gateway, startGateway } from './support/gateway.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const PARKED = 5_000
const IDLE = 5_000
const CALLERS = 20
const ROUNDS = 3
const SECONDS = 1

export const introspectionFigures = async (): Promise<Figure[]> => {
  const upstream = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const { port } = upstream.address() as AddressInfo
  const gateway = await startGateway(
    configuration(`  - matches: [{ path: { pathPrefix: /direct } }]
    policies: { directResponse: { status: 200, body: ok } }
  - backends: [{ host: "127.0.0.1:${port}" }]`),
  )
  const clients = await start('./parked-clients.ts', {
    PORT: new URL(gateway.url).port,
    PARKED: String(PARKED),
    IDLE: String(IDLE),
  })
  const figures = [
    ...(await besidePage(gateway, 'tasks', '/debug/tasks')),
    ...(await besidePage(gateway, 'tasksText', '/debug/tasks?format=text')),
    ...(await besidePage(gateway, 'memory', '/memory')),
  ]
  await stopAll([gateway, clients])
  upstream.closeAllConnections()
  upstream.close()
  return figures
}

/** Turns of the event loop, and the latency of requests, while the callers get a page again and again. */
const besidePage = async (gateway: Gateway, name: string, path: string): Promise<Figure[]> => {
  const direct = `${gateway.url}/direct`
  await p99Ms(direct)
  const longest: number[] = []
  const turnP99: number[] = []
  const added: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await p99Ms(direct)
    // In a process of their own: what they do with the pages must not delay the measured client.
    const callers = await start('./page-callers.ts', {
      PAGE: `${gateway.adminUrl}${path}`,
      CALLERS: String(CALLERS),
    })
    await p99Ms(direct)
    let beside = NaN
    const turns = await gateway.turnsWhile(async () => {
      beside = await p99Ms(direct)
    })
    await callers.stop()
    longest.push(turns.longestMs)
    turnP99.push(turns.p99Ms)
    added.push(beside - alone)
  }
  const note = `${CALLERS} callers, ${PARKED} pending requests, ${IDLE} idle connections`
  return [
    { name: `${name}.turnP99Ms`, value: median(turnP99), unit: 'ms', note },
    { name: `${name}.longestTurnMs`, value: median(longest), unit: 'ms', note: 'with garbage collection' },
    { name: `${name}.addedP99Ms`, value: median(added), unit: 'ms', note: 'to a request beside them' },
  ]
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** The p99 of sequential requests. */
const p99Ms = async (url: string): Promise<number> => {
  const until = performance.now() + SECONDS * 1_000
  const took: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    const req = request(url, { agent }).end()
    const [res] = (await once(req, 'response')) as [NodeJS.ReadableStream]
    await once(res.resume(), 'end')
    took.push(performance.now() - began)
  }
  return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0
}
