import { configuration, type Gateway, startGateway } from './support/gateway.ts'
import { run } from './support/load.ts'
import { CALL, initialize, route, VERSION } from './support/mcp-client.ts'
import { openStreams } from './support/mcp-streams.ts'
import { type Program, residentBytes, start } from './support/program.ts'
import type { Figure } from './support/report.ts'

const SESSIONS = 500
/** Two for the handshake, one for the stream. */
const REQUESTS_PER_SESSION = 3

/** Memory of sessions with an open stream and no requests. */
export const sessionFigures = async (): Promise<Figure[]> => {
  const server = await start('./mcp-server.ts')
  const open = (gateway: Gateway) => manySessions(`${gateway.url}/mcp`)
  // V8 grows its young generation by tens of megabytes under any load.
  const warm = await memoryOf(server, open, async (gateway) => {
    await run({ ...(await oneSession(gateway)), url: `${gateway.url}/mcp`, seconds: 3 })
  })
  const cold = await memoryOf(server, open)
  const calls = await memoryOf(server, async (gateway) => {
    const { headers } = await oneSession(gateway)
    for (let id = 1; id <= SESSIONS * REQUESTS_PER_SESSION; id++)
      await call(gateway, headers, CALL.replace('"id":1', `"id":${id}`))
    return () => undefined
  })
  await server.stop()
  const mb = (bytes: number) => (bytes / 1e6).toFixed(0)
  return [
    {
      name: 'mcp.sessions.rssGrowthMb',
      value: warm.residentGrowthBytes / 1e6,
      unit: 'MB',
      note: `${SESSIONS} sessions, each with an open stream; ${(warm.heapGrowthBytes / SESSIONS / 1_000).toFixed(0)} kB of heap each; of a gateway that was just started ${mb(cold.residentGrowthBytes)} MB, and ${mb(calls.residentGrowthBytes)} MB for as many requests of one session`,
    },
  ]
}

/**
 * Growth of a gateway after some work: resident memory, and heap after collections.
 *
 * @param work Returns the function that ends it.
 * @param before Runs first, and is not counted.
 */
const memoryOf = async (
  server: Program,
  work: (gateway: Gateway) => Promise<() => void>,
  before?: (gateway: Gateway) => Promise<void>,
): Promise<{ readonly residentGrowthBytes: number; readonly heapGrowthBytes: number }> => {
  const gateway = await startGateway(
    configuration(route([`{ name: one, mcp: { host: "${server.url}/mcp" } }`])),
  )
  let heapBeforeBytes = 0
  if (before) {
    await before(gateway)
    heapBeforeBytes = await gateway.heapBytes()
  }
  const residentBeforeBytes = residentBytes(gateway.pid)
  const end = await work(gateway)
  const residentGrowthBytes = residentBytes(gateway.pid) - residentBeforeBytes
  const heapGrowthBytes = (await gateway.heapBytes()) - heapBeforeBytes
  end()
  await gateway.stop()
  return { residentGrowthBytes, heapGrowthBytes }
}

const manySessions = async (url: string): Promise<() => void> => {
  const sessions: string[] = []
  for (let i = 0; i < SESSIONS; i++) sessions.push(await initialize(url))
  return openStreams(url, sessions)
}

/** Calls of one session, as load. */
const oneSession = async ({ url }: Gateway) => ({
  method: 'POST' as const,
  body: CALL,
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-session-id': await initialize(`${url}/mcp`),
    ...VERSION,
  },
  numbered: true,
  connections: 16,
})

const call = async (
  { url }: Gateway,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<void> => {
  const own = { ...headers, 'content-type': 'application/json' }
  await (await fetch(`${url}/mcp`, { method: 'POST', headers: own, body })).text()
}
