import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { RawClient } from '../support/raw-client.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

interface TaskNode {
  readonly task: string
  readonly name?: string
  readonly children?: readonly TaskNode[]
  readonly [attribute: string]: unknown
}

/** A program that introduces itself, and responds to no call. */
const hanging = `
const { createInterface } = require('node:readline')
createInterface(process.stdin).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  const serverInfo = { name: 'hanging', version: '1' }
  const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo, tools: [] }
  if (id !== undefined && method !== 'tools/call') console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
})`

const all = (nodes: readonly TaskNode[] = []): TaskNode[] =>
  nodes.flatMap((node) => [node, ...all(node.children)])

const childrenOf = (node: TaskNode, task: string): TaskNode[] =>
  (node.children ?? []).filter((one) => one.task === task)

suite('GET /debug/tasks shows where work is stuck', () => {
  let upstream: Upstream
  let silent: Upstream
  let daemon: Daemon
  const clients: RawClient[] = []

  before(async () => {
    silent = await startUpstream(() => undefined)
    upstream = await startUpstream((req, res) => {
      if (req.url === '/again' && req.headers['x-retry-attempt'] === undefined) res.writeHead(503).end()
      else if (req.url === '/late') res.writeHead(503).end()
      else if (req.url === '/slow-body') res.writeHead(200, { 'content-length': 100 }).write('begun')
      else if (req.url === '/done') res.end('done')
    })
    upstream.server.on('upgrade', (_req, socket) => {
      socket.on('error', () => undefined)
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n')
    })
    const host = upstream.host
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  models: { port: 0, address: 127.0.0.1 }
  raw: { port: 0, address: 127.0.0.1, protocol: TCP }
llm:
  gateways: models
  models: [{ name: small, provider: mock }]
  guardrails: { request: [{ webhook: { target: { host: "${silent.host}" } } }] }
tcpRoutes:
  - { name: pass, gateways: raw, backends: [{ host: "${silent.host}" }] }
routes:
  - name: checked
    gateways: default
    matches: [{ path: { exact: /checked } }]
    policies: { extAuthz: { host: "${silent.host}", protocol: { http: {} }, policies: { http: { requestTimeout: 600s } } } }
    backends: [{ host: "${host}" }]
  - name: repeated
    gateways: default
    matches: [{ path: { exact: /again } }]
    policies: { retry: { attempts: 2, codes: [503] }, timeout: { requestTimeout: 600s } }
    backends: [{ host: "${host}" }]
  - name: backing-off
    gateways: default
    matches: [{ path: { exact: /late } }]
    policies: { retry: { attempts: 2, codes: [503], backoff: 600s } }
    backends: [{ host: "${host}" }]
  - name: tools
    gateways: default
    matches: [{ path: { pathPrefix: /mcp } }]
    backends: [{ mcp: { targets: [{ name: stuck, stdio: { cmd: ${process.execPath}, args: ["-e", ${JSON.stringify(hanging)}] } }] } }]
  - name: plain
    gateways: default
    backends: [{ host: "${host}" }]
`)
  })
  after(async () => {
    for (const client of clients) client.socket.destroy()
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
    await silent[Symbol.asyncDispose]()
  })

  const client = async (gateway = 'default'): Promise<RawClient> => {
    const made = await RawClient.to(Number(new URL(daemon.url(gateway)).port))
    clients.push(made)
    return made
  }
  const send = async (head: string, gateway = 'default'): Promise<RawClient> => {
    const made = await client(gateway)
    made.send(head)
    return made
  }
  const get = (path: string, fields = '') => send(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${fields}\r\n`)
  const post = (path: string, body: object, fields = '') => {
    const text = JSON.stringify(body)
    return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n${fields}content-length: ${text.length}\r\n\r\n${text}`
  }
  const tasks = async () => {
    const { status, text, headers } = await sendRequest(daemon.url('admin'), '/debug/tasks')
    assert.equal(status, 200, text)
    assert.equal(headers['content-type'], 'application/json')
    const trees = JSON.parse(text) as { admin: TaskNode[]; workload: TaskNode[] }
    assert.deepEqual(Object.keys(trees), ['admin', 'workload'])
    return trees
  }
  /** The first task of the workload that fits, as soon as there is one. */
  const found = async (fits: (node: TaskNode) => boolean): Promise<TaskNode> => {
    const until = performance.now() + 60_000
    for (;;) {
      const { workload } = await tasks()
      const node = all(workload).find(fits)
      if (node) return node
      if (performance.now() > until) throw new Error(`not found in ${JSON.stringify(workload, null, 1)}`)
    }
  }
  const exchange = (path: string, stage: string) =>
    found(({ task, name, stage: at }) => task === 'exchange' && name === path && at === stage)

  test('in the callout of a policy', async () => {
    await get('/checked?page=2&api_key=SECRETSECRET', 'authorization: Bearer TOKENTOKEN\r\n')
    const node = await exchange('GET /checked?page=2&api_key=<redacted>', 'ext-authz')
    assert.equal(node.route, 'default/checked')
    assert.equal(node.host, '127.0.0.1')
    assert.ok((node.ageMs as number) >= (node.stageMs as number))
    const [callout] = childrenOf(node, 'callout')
    assert.equal(callout?.name, 'ExtAuthz')
    assert.equal(callout.service, silent.host)
    assert.ok((callout.timeoutInMs as number) > 500_000)
    assert.deepEqual(childrenOf(node, 'upstream call'), [])
  })

  test('in the webhook of a guard', async () => {
    const body = { model: 'small', messages: [{ role: 'user', content: 'hi' }] }
    await send(post('/v1/chat/completions', body), 'models')
    const node = await found(
      (one) => one.task === 'exchange' && childrenOf(one, 'callout').some(({ name }) => name === 'Guardrail'),
    )
    assert.equal(node.name, 'POST /v1/chat/completions')
  })

  test('at an upstream without a response, at one that stopped within a body, and before a request is complete', async () => {
    await get('/no-response')
    const waiting = await exchange('GET /no-response', 'upstream')
    const [call] = childrenOf(waiting, 'upstream call')
    assert.equal(call?.name, upstream.host)
    assert.deepEqual([call.attempt, call.state], [1, 'waiting for the head'])
    await (await get('/slow-body')).until('begun')
    const body = await exchange('GET /slow-body', 'response body')
    assert.deepEqual([body.status, body.sentBytes], [200, 5])
    assert.equal(childrenOf(body, 'upstream call')[0]?.state, 'receiving the body')
    await send('POST /half HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100000\r\n\r\nfirst')
    const half = await found(({ name }) => name === 'POST /half')
    assert.equal(half.requestIncomplete, true)
  })

  test('in the second attempt, with its number and the timer that ends it, or between two attempts', async () => {
    await get('/again')
    const node = await found(({ name, attempt }) => name === 'GET /again' && attempt === 2)
    const [call] = childrenOf(node, 'upstream call')
    assert.deepEqual([call?.attempt, call?.state], [2, 'waiting for the head'])
    assert.ok((node.ageMs as number) >= (call?.ageMs as number))
    const [timer] = childrenOf(node, 'timer')
    assert.equal(timer?.name, 'request timeout')
    assert.ok((timer.dueInMs as number) > 500_000 && (timer.dueInMs as number) <= 600_000)
    await get('/late')
    assert.deepEqual(childrenOf(await exchange('GET /late', 'retry backoff'), 'upstream call'), [])
  })

  test('in each stream of an HTTP/2 connection', async () => {
    const session = connectHttp2(daemon.url('default'))
    session.on('error', () => undefined)
    const streams = ['/one', '/two', '/three'].map((path) => session.request({ ':path': path }))
    for (const stream of streams) stream.on('error', () => undefined)
    const node = await found(({ protocol, children }) => protocol === 'HTTP/2' && children?.length === 3)
    assert.deepEqual(
      node.children?.map(({ name, streamId }) => [name, streamId]),
      [
        ['GET /one', 1],
        ['GET /two', 3],
        ['GET /three', 5],
      ],
    )
    session.destroy()
    for (;;) if (!all((await tasks()).workload).some(({ protocol }) => protocol === 'HTTP/2')) break
  })

  test('as a WebSocket, a raw connection, or a connection without a request', async () => {
    await (
      await get('/socket', 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n')
    ).until('101')
    const socket = await exchange('GET /socket', 'tunnel')
    assert.equal(childrenOf(socket, 'upstream call')[0]?.state, 'tunnel')
    await send('x', 'raw')
    const raw = await found(({ task, stage }) => task === 'raw connection' && stage === 'tunnel')
    assert.deepEqual([raw.name, raw.route], [silent.host, 'default/pass'])
    const idle = await get('/done')
    await idle.until('done')
    const silentClient = await client()
    const portOf = (one: RawClient) => `127.0.0.1:${one.socket.localPort}`
    assert.equal(
      (await found(({ name, state }) => name === portOf(idle) && state === 'idle')).protocol,
      'HTTP/1.1',
    )
    await found(({ name, state }) => name === portOf(silentClient) && state === 'detecting the protocol')
  })

  test('in a program that hangs, with the session and the stream of its client', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    const beginner = await send(post('/mcp', initialize))
    const id = /mcp-session-id: (\S+)/i.exec(await beginner.until(/mcp-session-id: \S+\r\n/i))?.[1] ?? ''
    assert.ok(id)
    const session = `mcp-session-id: ${id}\r\nmcp-protocol-version: 2025-06-18\r\n`
    await get('/mcp', `accept: text/event-stream\r\n${session}`)
    const params = { name: 'stuck_work', arguments: {} }
    await send(post('/mcp', { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, session))
    const node = await found((one) => childrenOf(one, 'mcp call').some(({ name }) => name === 'tools/call'))
    const [call] = childrenOf(node, 'mcp call')
    assert.deepEqual([node.name, node.stage], ['POST /mcp', 'mcp'])
    assert.equal(call?.target, 'stuck')
    const program = await found(({ task, name }) => task === 'program' && name === 'stuck')
    assert.equal(call.pid, program.pid)
    const known = await found(
      ({ task, isListening, running }) => task === 'mcp session' && isListening === true && running === 1,
    )
    assert.deepEqual(known.servers, ['stuck'])
    await found(({ name, stage }) => name === 'GET /mcp' && stage === 'response body')
    const { text } = await sendRequest(daemon.url('admin'), '/debug/tasks')
    assert.ok(!text.includes(id), 'the id of a session is a credential')
    assert.ok(!/SECRETSECRET|TOKENTOKEN/.test(text))
  })

  test('and what else is under way: watched files, trace watchers and calls of the admin server', async () => {
    const stop = new AbortController()
    const trace = await fetch(`${daemon.url('admin')}/debug/trace?expression=false&follow=true`, {
      signal: stop.signal,
    })
    assert.equal(trace.status, 200)
    const trees = await tasks()
    assert.deepEqual(
      all(trees.workload)
        .filter(({ task }) => task === 'watched file')
        .map(({ name }) => name),
      [daemon.file],
    )
    const names = all(trees.admin).map(({ task, name }) => `${task} ${name}`)
    assert.ok(names.includes('trace watcher filtered'))
    assert.ok(names.includes('admin call GET /debug/tasks') && names.includes('admin call GET /debug/trace'))
    stop.abort()
    for (;;) if (!all((await tasks()).admin).some(({ task }) => task === 'trace watcher')) break
  })

  test('as text for people, by parameter or by Accept', async () => {
    const admin = daemon.url('admin')
    const { text, headers } = await sendRequest(admin, '/debug/tasks?format=text')
    assert.equal(headers['content-type'], 'text/plain;charset=utf-8')
    assert.match(text, /^admin\n└─ process \d+\n/)
    assert.match(text, /│ {2}│ {2}└─ exchange GET \/no-response \S+ id=\d+ stage=upstream stage=\S+ /)
    const accepting = async (accept: string) =>
      (await sendRequest(admin, '/debug/tasks', { headers: { accept } })).headers['content-type']
    assert.equal(await accepting('text/plain'), 'text/plain;charset=utf-8')
    assert.equal(await accepting('text/plain;q=0.5, application/json'), 'application/json')
    assert.equal(await accepting('*/*'), 'application/json')
  })

  test('and refuses other parameters and methods', async () => {
    const admin = daemon.url('admin')
    for (const [query, says] of [
      ['?format=xml', 'format must be json or text\n'],
      ['?format=text&format=text', 'parameter given twice: format\n'],
      ['?fromat=text', 'unknown parameter: fromat; known are format\n'],
    ] as const) {
      const { status, text } = await sendRequest(admin, `/debug/tasks${query}`)
      assert.deepEqual([status, text], [400, says])
    }
    assert.equal((await sendRequest(admin, '/debug/tasks', { method: 'POST' })).status, 405)
    assert.equal((await sendRequest(admin, '/debug/tasks', { method: 'HEAD' })).text, '')
  })

  test('GET /memory counts what takes memory', async () => {
    const admin = daemon.url('admin')
    const { status, text } = await sendRequest(admin, '/memory')
    assert.equal(status, 200)
    const memory = JSON.parse(text) as {
      rssBytes: number
      pssBytes: number | null
      exchanges: number
      v8: { heapUsedBytes: number; heapLimitBytes: number; spaces: { name: string }[] }
      handles: Record<string, number>
      sockets: { downstream: Record<string, number>; upstream: Record<string, number> }
      subscriptions: Record<string, number>
      mcp: { sessions: Record<string, number>; programs: Record<string, number> }
      upstreamClients: { http: number }
      caches: { name: string; entries: number; maxEntries?: number; maxBytes?: number }[]
    }
    assert.equal(text, `${JSON.stringify(memory, null, 2)}\n`)
    assert.ok(memory.rssBytes > 1e7)
    assert.ok(process.platform !== 'linux' || (memory.pssBytes ?? 0) > 1e6)
    assert.ok(memory.v8.heapUsedBytes < memory.v8.heapLimitBytes)
    assert.ok(memory.v8.spaces.some(({ name }) => name === 'old_space'))
    assert.ok((memory.handles.TCPSocketWrap ?? 0) > 10)
    assert.ok(memory.exchanges >= 8)
    assert.ok((memory.sockets.downstream.http ?? 0) >= 10)
    assert.equal(memory.sockets.downstream.tcp, 1)
    assert.ok((memory.sockets.upstream.calls ?? 0) >= 3)
    assert.equal(memory.subscriptions.mcpStreams, 1)
    assert.deepEqual([Object.values(memory.mcp.sessions), memory.mcp.programs], [[1], { stuck: 1 }])
    assert.ok(memory.upstreamClients.http >= 2)
    const names = memory.caches.map(({ name }) => name)
    assert.ok(
      names.includes('ended_mcp_sessions') && names.includes('mcp_lists') && names.includes('tcp_names'),
    )
    assert.ok(memory.caches.every(({ maxEntries, maxBytes }) => (maxEntries ?? maxBytes ?? 0) > 0))
    assert.equal((await sendRequest(admin, '/memory?all')).status, 400)
  })

  test('everything is gone with its clients', async () => {
    for (const one of clients) one.socket.destroy()
    for (;;) {
      const { workload } = await tasks()
      const left = all(workload).filter(({ task }) =>
        ['exchange', 'raw connection', 'callout', 'mcp call', 'connection'].includes(task),
      )
      if (left.length === 0) break
    }
  })
})
