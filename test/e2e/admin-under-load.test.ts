import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'

const PARKED = 200
const ROUTES = 500

suite('the admin, stats and readiness servers of a busy process', () => {
  let upstream: Upstream
  let daemon: Daemon
  const parked: ServerResponse[] = []
  let arrived: () => void = () => undefined

  before(async () => {
    const chunk = Buffer.alloc(64 * 1024)
    upstream = await startUpstream((req, res) => {
      if (req.url === '/stream') {
        // Writes without end, as fast as it is read.
        const fill = () => {
          while (res.write(chunk));
        }
        res.on('drain', fill)
        fill()
      } else if (req.url === '/park') {
        parked.push(res)
        arrived()
      } else res.end('ok')
    })
    const more = Array.from(
      { length: ROUTES },
      (_, i) =>
        `  - { name: more-${i}, matches: [{ path: { exact: /more/${i} } }], backends: [{ host: "${upstream.host}" }] }`,
    )
    daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { accessLog: { filter: "false" }, admission: { lag: 10m } }
routes:
  - { name: all, backends: [{ host: "${upstream.host}" }] }
${more.join('\n')}
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  /** Fetches each page once. */
  const everyPage = async (): Promise<void> => {
    const pages: readonly [server: string, path: string, says: RegExp][] = [
      ['admin', '/', /config_dump/],
      ['admin', '/config_dump', new RegExp(`more-${ROUTES - 1}`)],
      ['admin', '/memory', /"heapLimitBytes"/],
      ['admin', '/debug/tasks', /"workload"/],
      ['stats', '/metrics', /agentgateway_requests_total/],
      ['readiness', '/healthz/ready', /ready/],
    ]
    await Promise.all(
      pages.map(async ([server, path, says]) => {
        const { status, text } = await sendRequest(daemon.url(server), path)
        assert.equal(status, 200, path)
        assert.match(text, says, path)
      }),
    )
  }

  test('respond while hundreds of requests are pending', async () => {
    assert.equal((await sendRequest(daemon.url('default'), '/')).status, 200)
    let answered = 0
    const answers = Array.from({ length: PARKED }, async (): Promise<ReceivedResponse> => {
      const answer = await sendRequest(daemon.url('default'), '/park')
      answered++
      return answer
    })
    while (parked.length < PARKED) await new Promise<void>((resolve) => (arrived = resolve))
    await everyPage()
    assert.deepEqual([parked.length, answered], [PARKED, 0])
    for (const res of parked) res.end('at last')
    for (const { status, text } of await Promise.all(answers))
      assert.deepEqual([status, text], [200, 'at last'])
  })

  test('respond while a body streams at full speed, and do not stop it', async () => {
    const client = get(`${daemon.url('default')}/stream`, { agent: false })
    client.on('error', () => undefined)
    const [res] = (await once(client, 'response')) as [IncomingMessage]
    let received = 0
    let moved: () => void = () => undefined
    res.on('error', () => undefined)
    res.on('data', (chunk: Buffer) => {
      received += chunk.length
      moved()
    })
    const flows = async (): Promise<void> => {
      const before = received
      while (received - before < 2 ** 20) await new Promise<void>((resolve) => (moved = resolve))
    }
    for (let i = 0; i < 5; i++) {
      await flows()
      await everyPage()
    }
    await flows()
    client.destroy()
  })

  test('respond, like the gateways, beside trace watchers that do not read', async () => {
    const watchers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const watcher = get(`${daemon.url('admin')}/debug/trace?follow=true`, { agent: false })
        watcher.on('error', () => undefined)
        await once(watcher, 'response') // never read
        return watcher
      }),
    )
    for (let i = 0; i < 5; i++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => sendRequest(daemon.url('default'), '/')),
      )
      assert.ok(answers.every(({ status }) => status === 200))
    }
    await everyPage()
    for (const watcher of watchers) watcher.destroy()
  })
})
