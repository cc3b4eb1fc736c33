/** What a load takes of memory and CPU, for docs/guides/size-it.md. Measures the program of the package. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import net from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { configuration } from '../support/gateway.ts'
import { type InstalledGateway, startInstalled } from '../support/installed-gateway.ts'
import { run } from '../support/load.ts'
import { cpuUs, residentBytes, start } from '../support/program.ts'
import { type Figure, median } from '../support/report.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const COUNT = 1_000
/** Clients before those that are counted. More would leave out more of what the first requests bring. */
const WARM = 100
const SETTLED_MS = 2_000

/** Each is a program of its own, since V8 gives little memory back. */
export const sizingFigures = async (): Promise<Figure[]> => {
  const rounds: (readonly Figure[])[] = []
  for (let i = 0; i < ROUNDS; i++)
    rounds.push([
      ...(await loadFigures()),
      await connectionFigure(),
      await routesFigure(),
      await streamFigure(),
    ])
  return (rounds[0] ?? []).map((figure, k) => ({
    ...figure,
    value: median(rounds.map((figures) => figures[k]?.value ?? NaN)),
  }))
}

const loadFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const figures: Figure[] = []
  for (const halfMb of YOUNG_GENERATIONS) {
    const gateway = await startInstalled(
      configuration(`  - backends: [{ host: "${new URL(upstream.url).host}" }]`),
      { AGENTGATEWAY_MAX_SEMI_SPACE_SIZE: String(halfMb) },
    )
    await pause(SETTLED_MS)
    const idle = residentMb(gateway)
    const url = `http://127.0.0.1:${gateway.port}/`
    await run({ url, connections: 32, seconds: 5 })
    const before = cpuUs(gateway.pid)
    const { requests } = await run({ url, connections: 32, seconds: 5 })
    const each = (cpuUs(gateway.pid) - before) / requests
    const name = `sizing.${halfMb === 0 ? 'v8' : `${halfMb}mb`}`
    figures.push(
      { name: `${name}.idleMb`, value: idle, unit: 'MB', note: 'one route, no request yet' },
      { name: `${name}.busyMb`, value: residentMb(gateway), unit: 'MB', note: '10 s of small requests' },
      { name: `${name}.requestUs`, value: each, unit: 'µs CPU', note: 'a small request, 32 connections' },
    )
    await gateway.stop()
  }
  await upstream.stop()
  return figures
}

/** As `AGENTGATEWAY_MAX_SEMI_SPACE_SIZE`; 0 is V8's own limit. */
const YOUNG_GENERATIONS = [4, 0, 1]

/** Clients that are connected and have sent one request. */
const connectionFigure = async (): Promise<Figure> => {
  const gateway = await startInstalled(
    configuration('  - policies: { directResponse: { status: 200, body: ok } }'),
  )
  const clients = await clientsOf(gateway, '/', WARM)
  const before = await settled(gateway)
  const more = await clientsOf(gateway, '/', COUNT)
  const value = (await settled(gateway)) - before
  for (const client of [...clients, ...more]) client.destroy()
  await gateway.stop()
  return { name: 'sizing.connectionsMb', value, unit: 'MB', note: `${COUNT} idle connections of HTTP/1.1` }
}

/** Routes with one backend each, from the start. */
const routesFigure = async (): Promise<Figure> => {
  const withRoutes = async (count: number): Promise<number> => {
    const routes = Array.from(
      { length: count },
      (_, i) =>
        `  - { matches: [{ path: { pathPrefix: /s${i} } }], backends: [{ host: "127.0.0.1:${i + 1}" }] }`,
    )
    const gateway = await startInstalled(configuration(routes.join('\n')))
    const resident = await settled(gateway)
    await gateway.stop()
    return resident
  }
  const value = (await withRoutes(COUNT + 1)) - (await withRoutes(1))
  return { name: 'sizing.routesMb', value, unit: 'MB', note: `${COUNT} routes with a backend each` }
}

/** Responses that have begun and go on, such as those of models. */
const streamFigure = async (): Promise<Figure> => {
  const upstream = await endlessStreams()
  const { port } = upstream.address() as net.AddressInfo
  const gateway = await startInstalled(configuration(`  - backends: [{ host: "127.0.0.1:${port}" }]`))
  const clients = await clientsOf(gateway, '/', WARM)
  const before = await settled(gateway)
  const more = await clientsOf(gateway, '/', COUNT)
  const value = (await settled(gateway)) - before
  for (const client of [...clients, ...more]) client.destroy()
  await gateway.stop()
  upstream.closeAllConnections()
  upstream.close()
  return {
    name: 'sizing.streamsMb',
    value,
    unit: 'MB',
    note: `${COUNT} open streams, both connections of each`,
  }
}

const endlessStreams = async (): Promise<Server> => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: begun\n\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Connects clients, and waits until each has received something. */
const clientsOf = async (gateway: InstalledGateway, path: string, count: number): Promise<net.Socket[]> => {
  const clients: net.Socket[] = []
  // Not all at once: the queue of the listening socket is limited.
  while (clients.length < count)
    clients.push(...(await Promise.all(Array.from({ length: 50 }, () => clientOf(gateway, path)))))
  return clients
}

const clientOf = async ({ port }: InstalledGateway, path: string): Promise<net.Socket> => {
  const client = net.connect(port, '127.0.0.1')
  client.on('error', () => undefined).write(`GET ${path} HTTP/1.1\r\nhost: bench\r\n\r\n`)
  await once(client, 'data')
  return client
}

const settled = async (gateway: InstalledGateway): Promise<number> => {
  await pause(SETTLED_MS)
  return residentMb(gateway)
}

const residentMb = ({ pid }: InstalledGateway): number => residentBytes(pid) / 2 ** 20
