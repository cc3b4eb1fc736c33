/* Run by `listeners.test.ts` in a process of its own: uses every kind of connection, drains, and prints what is left. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { forwardTo, poolTo, startGateway } from '../support/gateway.ts'
import { RawClient } from '../support/raw-client.ts'
import { startUpstream } from '../support/upstream.ts'

const upstream = await startUpstream((req, res) => {
  if (req.url === '/never') return
  if (req.url === '/stream') {
    res.write('first')
    return
  }
  req.resume().on('end', () => res.end('ok'))
})
const pool = poolTo(upstream.host)
const gateway = await startGateway([
  {
    listeners: [{ pipeline: forwardTo(pool) }],
    frontend: {
      http: { maxConnectionDurationMs: 60_000, http2KeepaliveIntervalMs: 60_000, halfCloseGraceMs: 20 },
    },
  },
])
const port = gateway.port()

/** A request with a client library; it can leave after the head of the response, or without waiting for it. */
const ask = (path: string, leave?: 'early' | 'late'): Promise<void> =>
  new Promise((resolve) => {
    const req = request({ port, path, method: 'POST', agent: false }, (res) => {
      if (leave === 'late') req.destroy()
      res.resume().on('close', resolve)
    })
    req.on('error', () => resolve())
    req.end('body')
    if (leave === 'early') setTimeout(() => req.destroy(), 5)
  })

const askHttp2 = async (): Promise<void> => {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  const streams = ['/', '/never', '/stream'].map((path) => session.request({ ':path': path }))
  const [first, ...others] = streams
  const closed = streams.map((stream) => once(stream.on('error', () => undefined).resume(), 'close'))
  await closed[0]
  for (const other of others) other.close(8)
  await Promise.all(closed)
  first?.destroy()
  session.close()
  await once(session, 'close')
}

for (let i = 0; i < 20; i++) {
  await Promise.all([ask('/'), ask('/never', 'early'), ask('/stream', 'late'), askHttp2()])
  using broken = await RawClient.to(port)
  broken.send('GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
  await broken.end()
  using silent = await RawClient.to(port)
  silent.socket.end()
  await silent.end()
}
using held = await RawClient.to(port)
held.send('GET /never HTTP/1.1\r\nHost: a\r\n\r\n')
await gateway.ports.drain(40)
await held.end()
await pool.destroy()
await upstream[Symbol.asyncDispose]()
held.socket.destroy()
const left = () =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => !/^(PipeWrap|TTYWrap|FSReqCallback|Immediate)$/.test(kind))
// Handles are released in the turns after their `close`.
for (let i = 0; i < 100 && left().length > 0; i++) await new Promise((resolve) => setImmediate(resolve))
console.log(
  JSON.stringify({
    began: gateway.began,
    ended: gateway.ended.length,
    held: gateway.ended.reduce((count, x) => count + x.snapshot.exchanges, 0),
    left: left(),
  }),
)
