import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { resetSocket } from '../../../src/upstream/connect/reset-socket.ts'
import { splice } from '../../../src/upstream/connect/splice.ts'

/** Two ends of a connection. */
const connected = async () => {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ours = connect({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    allowHalfOpen: true,
  })
  const [[theirs]] = (await Promise.all([once(server, 'connection'), once(ours, 'connect')])) as [
    [Socket],
    unknown,
  ]
  const heard = new Promise<string>((resolve) => {
    theirs.on('error', ({ message }) => resolve(message)).on('end', () => resolve('the end'))
  })
  theirs.resume()
  return {
    ours,
    theirs,
    heard,
    async [Symbol.asyncDispose]() {
      for (const socket of [ours, theirs]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

suite('a connection that is reset', () => {
  const cases: readonly (readonly [when: string, before: (socket: Socket) => unknown, heard: RegExp])[] = [
    ['closes', () => undefined, /ECONNRESET/],
    ['closes with something left to write', (socket) => socket.end('x'.repeat(50_000_000)), /ECONNRESET/],
    ['closes while its end is on its way', (socket) => socket.end(), /the end/],
    ['closes after its end', (socket) => once(socket.end(), 'finish'), /the end/],
    ['closes twice', resetSocket, /ECONNRESET/],
  ]
  for (const [when, before, heard] of cases)
    test(when, async () => {
      await using pair = await connected()
      const errors: unknown[] = []
      pair.ours.on('error', (error) => errors.push(error))
      const closed = once(pair.ours, 'close')
      const waiting = before(pair.ours)
      if (waiting instanceof Promise) await waiting
      resetSocket(pair.ours)
      await closed
      assert.match(await pair.heard, heard)
      assert.deepEqual(errors, [])
    })
})

test('a tunnel that is aborted just after one end was handed over closes both sides', async () => {
  await using client = await connected()
  await using upstream = await connected()
  const over = Promise.withResolvers<string | undefined>()
  const cut = splice(client.ours, upstream.ours, 0, over.resolve)
  client.ours.on('end', () => cut('the configuration has changed'))
  client.theirs.end()
  assert.equal(await over.promise, 'the configuration has changed')
  assert.match(await client.heard, /ECONNRESET/)
  assert.equal(await upstream.heard, 'the end')
})
