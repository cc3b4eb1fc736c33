/**
 * Availability for one client beside others: pipelining connections, clients that disconnected, and hints that no
 * client reads.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import tls from 'node:tls'
import { stopAll } from './proxy.ts'
import { configuration, type Gateway, startGateway } from './support/gateway.ts'
import { residentBytes, start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 1.5)
const ROUNDS = 3
/** After this a disconnect counts as undetected. */
const PATIENCE_MS = 3_000
/** After this a request counts as failed. */
const MOST_PATIENT_MS = 5_000
const MEGABYTE = 1_000_000

export const availabilityFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./upstream.ts')
  const endless = await listening(sendEvents)
  const hinting = await listening(sendHints)
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const [key, cert] = certificate(folder)
  const routes = `  - matches: [{ path: { pathPrefix: /direct } }]
    policies: { directResponse: { status: 200, body: ok } }
  - matches: [{ path: { pathPrefix: /endless } }]
    backends: [{ host: "127.0.0.1:${endless.port}" }]
  - matches: [{ path: { pathPrefix: /hints } }]
    backends: [{ host: "127.0.0.1:${hinting.port}" }]
  - backends: [{ host: "${new URL(upstream.url).host}" }]`
  const plain = await startGateway(configuration(routes))
  const encrypted = await startGateway(
    configuration(routes).replace(
      'default: { port: 0, address: 127.0.0.1 }',
      `default: { port: 0, address: 127.0.0.1, protocol: HTTPS, tls: { key: "${key}", cert: "${cert}" } }`,
    ),
  )
  const figures = [
    await besideCrowds('forwarded', `${plain.url}/`),
    await besideCrowds('direct', `${plain.url}/direct`),
    await afterFin('h2c', plain, endless),
    await afterFin('tls', encrypted, endless),
    await besideHints(plain),
  ]
  await stopAll([upstream, plain, encrypted])
  for (const { server } of [endless, hinting]) server.close()
  rmSync(folder, { recursive: true })
  return figures
}

/** A raw TCP service in this process. */
interface Service {
  readonly server: net.Server
  readonly port: number
  /** Called with the time at which a connection was closed. */
  closed: (atMs: number) => void
}

const listening = async (serve: (socket: net.Socket) => void): Promise<Service> => {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined).on('close', () => service.closed(performance.now()))
    serve(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const service: Service = {
    server,
    port: (server.address() as net.AddressInfo).port,
    closed: () => undefined,
  }
  return service
}

/** Sends an endless response. */
const sendEvents = (socket: net.Socket): void => {
  socket.once('data', () => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\n')
    const more = setInterval(() => socket.write('data: 1\n\n'), 50)
    socket.once('close', () => clearInterval(more))
  })
}

/** Sends endless hints, as fast as they are read. */
const sendHints = (socket: net.Socket): void => {
  const more = () => {
    while (!socket.destroyed && socket.write(hints));
  }
  socket.on('drain', more).once('data', more)
}
const hints = Buffer.from(`HTTP/1.1 103 Early Hints\r\nlink: </${'x'.repeat(500)}>\r\n\r\n`.repeat(100))

/** The latency of one client beside twenty that pipeline, and beside twenty that do not. */
const besideCrowds = async (name: string, url: string): Promise<Figure> => {
  await p99Ms(url, 'single', 1)
  const ratios: number[] = []
  const notes: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const single = await p99Ms(url, 'single', SECONDS)
    const pipelining = await p99Ms(url, 'pipelining', SECONDS)
    ratios.push(pipelining / single)
    notes.push(`${pipelining.toFixed(1)} beside ${single.toFixed(1)} ms`)
  }
  return {
    name: `availability.pipelining.${name}.p99Ratio`,
    value: median(ratios),
    unit: '×',
    note: notes.join(', '),
  }
}

/** The p99 of sequential requests beside a crowd. */
const p99Ms = async (url: string, mode: 'single' | 'pipelining', seconds: number): Promise<number> => {
  const crowd = await start('./crowd.ts', { TARGET: url, MODE: mode })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await wait(500)
  const took: number[] = []
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until || took.length === 0) {
    const began = performance.now()
    await answered(url, agent).catch(() => undefined)
    took.push(performance.now() - began)
  }
  agent.destroy()
  await crowd.stop()
  return took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0
}

/** Sends one request; one that times out counts with the timeout. */
const answered = async (url: string, agent: Agent): Promise<void> => {
  const req = request(url, { agent, signal: AbortSignal.timeout(MOST_PATIENT_MS) }).end()
  const [res] = (await once(req, 'response')) as [NodeJS.ReadableStream]
  await once(res.resume(), 'end')
}

/** Time from the FIN of an HTTP/2 client until the upstream connection is closed. */
const afterFin = async (kind: 'h2c' | 'tls', gateway: Gateway, upstream: Service): Promise<Figure> => {
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const gone = new Promise<number>((resolve) => (upstream.closed = resolve))
    const leftAt = await leave(Number(new URL(gateway.url).port), kind === 'tls')
    const noticedAt = await Promise.race([gone, wait(PATIENCE_MS, leftAt + PATIENCE_MS)])
    took.push(noticedAt - leftAt)
  }
  return { name: `availability.http2Fin.${kind}.ms`, value: median(took), unit: 'ms' }
}

/**
 * Sends an HTTP/2 request, waits for the first bytes of the response and closes the sending side as the kernel does
 * for a killed program. Returns the time of the close.
 */
const leave = async (port: number, encrypted: boolean): Promise<number> => {
  const raw = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await once(raw, 'connect')
  const socket = encrypted
    ? tls.connect({ socket: raw, ALPNProtocols: ['h2'], rejectUnauthorized: false })
    : raw
  if (encrypted) await once(socket, 'secureConnect')
  for (const one of [raw, socket]) one.on('error', () => undefined)
  socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, ''), GET]))
  await new Promise<void>((resolve) => {
    let received = ''
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (received.includes('data: 1')) resolve()
    })
  })
  const leftAt = performance.now()
  // A FIN, without a message of any protocol above TCP.
  raw.end()
  setTimeout(() => raw.destroy(), PATIENCE_MS)
  return leftAt
}

const frame = (type: number, flags: number, stream: number, payload: string): Buffer =>
  Buffer.concat([
    Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream]),
    Buffer.from(payload, 'latin1'),
  ])

/** `GET /endless` of `bench`: two fields of HPACK's static table, and two literals. */
const GET = frame(1, 5, 1, '\x82\x86\x44\x08/endless\x41\x05bench')

const certificate = (folder: string): [key: string, cert: string] => {
  const key = join(folder, 'key.pem')
  const cert = join(folder, 'cert.pem')
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=bench',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  )
  return [key, cert]
}

/** Growth of the gateway while upstreams send endless hints to clients that do not read. */
const besideHints = async (gateway: Gateway): Promise<Figure> => {
  const before = residentBytes(gateway.pid)
  const clients = Array.from({ length: 20 }, () => {
    const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.on('error', () => undefined).pause()
    socket.write('GET /hints HTTP/1.1\r\nhost: bench\r\n\r\n')
    return socket
  })
  let most = 0
  for (let i = 0; i < 16; i++) {
    await wait(250)
    most = Math.max(most, residentBytes(gateway.pid))
  }
  for (const socket of clients) socket.destroy()
  return {
    name: 'availability.hints.rssGrowthMb',
    value: (most - before) / MEGABYTE,
    unit: 'MB',
    note: `${clients.length} clients that do not read, 4 s`,
  }
}
