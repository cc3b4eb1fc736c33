import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { request } from 'undici'
import { readableOf } from '../../../src/operators/body/node-readable.ts'
import { ManualBody } from '../../../src/testing/index.ts'

test('readableOf', async (t) => {
  await t.test('reads all of a body, on demand', async () => {
    const body = new ManualBody()
    const stream = readableOf(body)
    const block = Buffer.alloc(40_000, 'x')
    body.send(block).send(block).send(block).end()
    assert.deepEqual([body.paused, body.taken < 3], [true, true])
    assert.equal((await text(stream)).length, 120_000)
    assert.equal(body.taken, 3)
  })

  await t.test('is destroyed by the fault of its body', async () => {
    const fault = new Error('client gone')
    const body = new ManualBody().send('a')
    const reading = text(readableOf(body))
    body.fail(fault)
    await assert.rejects(reading, fault)
  })

  await t.test('discards the rest of the body once it is destroyed', async () => {
    const body = new ManualBody()
    const stream = readableOf(body)
    body.send(Buffer.alloc(70_000)).send('waits')
    assert.ok(body.paused)
    stream.destroy()
    await once(stream, 'close')
    body.send('more').end()
    assert.deepEqual([body.paused, body.taken], [false, 3])
  })

  await t.test('is a request body that a real client sends in a stream', async () => {
    const server = createServer((req, res) => {
      void text(req).then((received) => res.end(received.toUpperCase()))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const body = new ManualBody()
    const { port } = server.address() as AddressInfo
    const answer = request(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: readableOf(body),
      reset: true,
    })
    body.send('hel')
    await new Promise(setImmediate)
    body.send('lo').end()
    assert.equal(await (await answer).body.text(), 'HELLO')
    server.close()
    await once(server, 'close')
  })
})
