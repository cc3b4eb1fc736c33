import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type ClientHttp2Stream, connect, createServer as createHttp2Server } from 'node:http2'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { after, before, suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sendRequest } from '../support/send-request.ts'
import { type Authority, makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { findProgram } from '../support/find-program.ts'
import { startToy, type ToyServer } from '../support/mcp/toy-server.ts'
import { listening, type UpstreamServer } from '../support/upstream-servers.ts'

/** A half-closed client would be served for longer than the test may take. */
const grace = 'frontendPolicies: { http: { halfCloseGrace: 30m } }\n'

/** How a client disconnects: by closing its connection, by half-closing it, or without a TLS close_notify. */
const ways = {
  'closes its connection': (socket: Socket) => socket.destroy(),
  'says that it sends nothing more': (socket: Socket) => socket.end(),
  'loses its connection': (_: Socket, below: Socket) => below.destroy(),
}

const json = { ':method': 'POST', 'content-type': 'application/json' }
const meta = 'io.modelcontextprotocol/'

/** The request for each kind of backend. */
const requests = {
  plain: [{ ':method': 'GET' }, undefined],
  stream: [{ ':method': 'GET' }, undefined],
  llm: [json, { model: 'm', stream: true, messages: [{ role: 'user', content: 'hello' }] }],
  mcp: [
    {
      ...json,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'hold',
    },
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'hold',
        _meta: {
          [`${meta}protocolVersion`]: '2026-07-28',
          [`${meta}clientInfo`]: { name: 'test', version: '1' },
          [`${meta}clientCapabilities`]: {},
        },
      },
    },
  ],
  grpc: [{ ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' }, undefined],
  websocket: [{ ':method': 'CONNECT', ':protocol': 'websocket' }, undefined],
} as const

type Kind = keyof typeof requests

const paths: Readonly<Record<Kind, string>> = {
  plain: '/plain',
  stream: '/stream',
  llm: '/v1/chat/completions',
  mcp: '/mcp',
  grpc: '/a.Service/Method',
  websocket: '/websocket',
}

suite('an HTTP/2 client', () => {
  let authority: Authority
  let http: UpstreamServer
  let http2: UpstreamServer
  let toy: ToyServer
  let daemon: Daemon
  /** Exchanges that reached an upstream, and those of them that closed before the upstream had responded. */
  const begun: string[] = []
  const left: string[] = []
  const watch = (path: string, socket: { on(event: 'close', listener: () => void): unknown }) => {
    begun.push(path)
    socket.on('close', () => left.push(path))
  }

  before(async () => {
    authority = makeAuthority()
    const server: Server = createServer((req, res) => {
      watch(req.url ?? '', res)
      if (req.url === '/plain') return // never responds
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      const first = { id: '1', object: 'chat.completion.chunk', model: 'm', choices: [] }
      res.write(`data: ${JSON.stringify(first)}\n\n`)
      if (req.url !== '/stream') return
      const ticks = setInterval(() => res.write(`data: ${JSON.stringify(first)}\n\n`), 10)
      res.on('close', () => clearInterval(ticks))
    })
    server.on('upgrade', (req, socket) => {
      socket
        .on('error', () => undefined)
        .on('end', () => socket.end())
        .resume()
      watch(req.url ?? '', socket)
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n',
      )
    })
    http = await listening(server)
    const grpc = createHttp2Server((req, res) => {
      req.stream.on('error', () => undefined)
      watch(req.url, req.stream)
      res.writeHead(200, { 'content-type': 'application/grpc' })
      res.write(Buffer.from([0, 0, 0, 0, 0]))
    })
    http2 = await listening(grpc)
    toy = await startToy({
      tools: ['hold'],
      handlers: {
        hold: (request) => {
          begun.push('/mcp')
          void request.gone.then(() => left.push('/mcp'))
        },
      },
    })
    const { certFile, keyFile } = authority.issue('localhost')
    daemon = await startDaemon(`${anyPorts}${grace}
gateways:
  plain: { port: 0, address: 127.0.0.1 }
  tls: { port: 0, address: 127.0.0.1, tls: { cert: "${certFile}", key: "${keyFile}" } }
routes:
  - gateways: [plain, tls]
    matches: [{ path: { pathPrefix: /a.Service } }]
    backends: [{ host: "127.0.0.1:${http2.port}", policies: { http: { version: "2" } } }]
  - gateways: [plain, tls]
    matches: [{ path: { pathPrefix: /mcp } }]
    backends: [{ mcp: { targets: [{ name: toy, mcp: { host: "${toy.url}" } }] } }]
  - gateways: [plain, tls]
    matches: [{ path: { pathPrefix: /v1 } }]
    policies: { ai: { routes: { '*': completions } } }
    backends: [{ ai: { name: it, hostOverride: "127.0.0.1:${http.port}", provider: { openAI: {} } } }]
  - gateways: [plain, tls]
    backends: [{ host: "127.0.0.1:${http.port}" }]
`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    for (const one of [http, http2, toy]) await one[Symbol.asyncDispose]()
    authority[Symbol.dispose]()
  })

  const inFlight = async (): Promise<string | undefined> => {
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    return /^agentgateway_exchanges_in_flight (\d+)$/m.exec(text)?.[1]
  }
  const settled = async (fits: () => boolean | Promise<boolean>) => {
    while (!(await fits())) await pause(10)
  }

  for (const [secure, name] of [
    [false, 'in cleartext'],
    [true, 'over TLS'],
  ] as const)
    for (const [way, leave] of Object.entries(ways))
      test(
        `${name} that ${way} ends its exchanges with every kind of backend`,
        { timeout: 300_000 },
        async () => {
          for (const kind of Object.keys(requests) as Kind[]) {
            begun.length = left.length = 0
            const port = Number(new URL(daemon.url(secure ? 'tls' : 'plain')).port)
            const below = connectPlain({ port, host: '127.0.0.1', allowHalfOpen: true })
            const socket = secure
              ? connectTls({ socket: below, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
              : below
            for (const one of [below, socket]) one.on('error', () => undefined)
            const session = connect('http://localhost', { createConnection: () => socket })
            session.on('error', () => undefined)
            await once(session, 'remoteSettings')
            const [head, body] = requests[kind]
            const stream: ClientHttp2Stream = session.request(
              { ':path': paths[kind], ':scheme': 'http', ':authority': 'localhost', ...head },
              { endStream: false },
            )
            stream.on('error', () => undefined).resume()
            if (body) stream.end(JSON.stringify(body))
            else if (kind !== 'grpc' && kind !== 'websocket') stream.end()
            await settled(() => begun.length === 1)
            leave(socket, below)
            const from = performance.now()
            await settled(() => left.length === 1)
            await settled(async () => (await inFlight()) === '0')
            assert.deepEqual(left, begun, kind)
            // One second is the promise; a busy machine may take longer.
            assert.ok(performance.now() - from < 30_000, kind)
            session.destroy()
            below.destroy()
          }
        },
      )

  const curl = findProgram('curl')
  for (const secure of [false, true])
    test(
      `that is killed during a download ${secure ? 'over TLS' : 'in cleartext'} ends it, every time`,
      { skip: curl === undefined && 'curl is not installed', timeout: 300_000 },
      async () => {
        const chunk = Buffer.alloc(1 << 20)
        let open = 0
        await using source = await listening(
          createServer((_, res) => {
            open++
            res.on('close', () => open--)
            const write = () => {
              while (!res.destroyed && res.write(chunk));
              if (!res.destroyed) res.once('drain', write)
            }
            write()
          }),
        )
        const { certFile, keyFile } = authority.issue('localhost')
        const tls = secure ? `, tls: { cert: "${certFile}", key: "${keyFile}" }` : ''
        await using gateway = await startDaemon(`${anyPorts}${grace}
gateways: { default: { port: 0, address: 127.0.0.1${tls} } }
routes: [{ backends: [{ host: "127.0.0.1:${source.port}" }] }]
`)
        const version = secure ? '--http2' : '--http2-prior-knowledge'
        for (let i = 0; i < 6; i++) {
          const client = spawn(curl ?? '', ['-skN', version, gateway.url('default')], {
            stdio: ['ignore', 'pipe', 'ignore'],
          })
          let bytes = 0
          client.stdout.on('data', (data: Buffer) => (bytes += data.length))
          await settled(() => bytes > 8 << 20)
          // Every other one has stopped reading before: its window is full, and unread data resets the connection.
          if (i % 2) {
            client.kill('SIGSTOP')
            await settled(() => client.stdout.readableLength === 0)
          }
          const exit = once(client, 'exit')
          client.kill('SIGKILL')
          await exit
          await settled(() => open === 0)
        }
        // No exchange uses the grace period.
        assert.equal(await gateway.stop(), 0)
      },
    )
})
