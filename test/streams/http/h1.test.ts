import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { answering, startGateway } from '../../support/gateway.ts'
import { respond } from '../../../src/model/reply.ts'

test('HTTP/1.1', async (t) => {
  await t.test('answers a request through the pipeline of its listener', async () => {
    await using gateway = await startGateway([
      { listeners: [{ pipeline: answering(() => respond(200, 'hello')) }] },
    ])
    const res = await fetch(`http://127.0.0.1:${gateway.port()}/`)
    assert.deepEqual([res.status, await res.text()], [200, 'hello'])
    const x = await gateway.nextEnded()
    assert.equal(x.sentBytes, 5)
  })
})
