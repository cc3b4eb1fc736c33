import assert from 'node:assert/strict'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { httpServer, listening } from '../support/upstream-servers.ts'

const WORKERS = 32

/** A gateway and the balancer's connections to it. */
interface Place {
  daemon: Daemon
  agent: Agent
}

test('no request fails while two gateways behind a load balancer are restarted one after the other', async () => {
  await using upstream = await httpServer((_, res) => res.end('hello'))
  // However long turns of the event loop take on a busy machine, that is no overload here.
  const configuration = `${anyPorts}
frontendPolicies: { admission: { lag: 10m } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes: [{ backends: [{ host: "127.0.0.1:${upstream.port}" }] }]
`
  const start = async (): Promise<Place> => ({
    daemon: await startDaemon(configuration),
    agent: new Agent({ keepAlive: true, maxSockets: WORKERS }),
  })
  const places = [await start(), await start()]
  const failures: string[] = []
  let turn = 0
  /** Forwards a request. One that no gateway accepted goes to the next; no other request is sent twice. */
  const forward = (at: number, tries: number): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { daemon, agent } = places[at % places.length] as Place
      request(daemon.url('default'), { agent }, resolve)
        .on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNREFUSED' && tries > 1) forward(at + 1, tries - 1).then(resolve, reject)
          else reject(error)
        })
        .end()
    })
  await using balancer = await listening(
    createServer((_, res) => {
      forward(turn++, 10).then(
        (answer) => {
          res.writeHead(answer.statusCode ?? 0)
          answer.on('error', (error) => failures.push(String(error))).pipe(res)
        },
        (error: unknown) => {
          failures.push(String(error))
          res.writeHead(502).end()
        },
      )
    }),
  )
  let isOver = false
  let asked = 0
  /** A new gateway starts faster without load. */
  let started = Promise.resolve()
  const work = async () => {
    while (!isOver) {
      await started
      const response = await fetch(`http://127.0.0.1:${balancer.port}/`)
      const text = await response.text()
      asked++
      if (response.status !== 200 || text !== 'hello') failures.push(`${response.status} ${text}`)
    }
  }
  const workers = Array.from({ length: WORKERS }, work)
  /** Lets some requests pass, so that connections to both gateways are in use. */
  const some = async () => {
    const until = asked + 20 * WORKERS
    while (asked < until) await new Promise((resolve) => setImmediate(resolve))
  }
  for (const place of places) {
    await some()
    assert.equal(await place.daemon.stop('SIGTERM'), 0)
    await some()
    // Requests that wait for a connection to the old one find out by themselves that it is gone.
    started = start().then((next) => void Object.assign(place, next))
    await started
  }
  await some()
  isOver = true
  await Promise.all(workers)
  for (const { daemon, agent } of places) {
    agent.destroy()
    await daemon.stop('SIGKILL')
  }
  assert.deepEqual(failures, [])
})
