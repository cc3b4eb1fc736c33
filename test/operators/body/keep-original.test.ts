import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import { keepAsCame } from '../../../src/operators/body/keep-original.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { streamBody } from '../../support/stream-body.ts'

test('the original body', async (t) => {
  await t.test('is kept for another replica, however often it is replaced', () => {
    const came = new BufferBody('came')
    const x = exchange({ method: 'POST', body: came })
    x.hop = { fields: [], isPassedOn: false }
    keepAsCame(x)
    x.request.body = new BufferBody('changed')
    keepAsCame(x)
    assert.equal(x.hop.body, came)
  })

  await t.test('is not kept if it is a stream, or if there are no other replicas', () => {
    const stream = exchange({ method: 'POST', body: streamBody(['came']) })
    stream.hop = { fields: [], isPassedOn: false }
    keepAsCame(stream)
    assert.equal(stream.hop.body, undefined)
    const alone = exchange({ method: 'POST', body: new BufferBody('came') })
    keepAsCame(alone)
    assert.equal(alone.hop, undefined)
  })
})
