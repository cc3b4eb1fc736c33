import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { detectForwarded } from '../../../../src/operators/mcp/replicas/detect-forwarded.ts'
import { sealHop } from '../../../../src/protocols/mcp/replica-hop-header.ts'
import { Keyring } from '../../../../src/protocols/seal/aead-keyring.ts'
import { exchange, operatorLaws, run } from '../../../../src/testing/index.ts'

const FIELD = 'agentgateway-passed-on'
const ring = new Keyring([randomBytes(32)])
const notice = detectForwarded(ring)

test('detectForwarded', async (t) => {
  await t.test('obeys the laws of operators', () => operatorLaws(notice))

  await t.test('keeps the original fields, whatever later stages change', () => {
    const x = run(notice, exchange({ headers: { host: 'a.test', authorization: 'Bearer ann' } }))
    x.request.headers.delete('authorization')
    x.request.headers.set('x-added', '1')
    assert.deepEqual(x.hop, {
      fields: ['host', 'a.test', 'authorization', 'Bearer ann'],
      isPassedOn: false,
    })
  })

  await t.test("detects a request forwarded by another replica, with the client's original request", () => {
    for (const scheme of ['http', 'https'] as const) {
      const x = run(notice, exchange({ headers: { [FIELD]: sealHop({ scheme }, ring), 'x-a': '1' } }))
      assert.deepEqual(x.hop, { fields: ['x-a', '1'], isPassedOn: true })
      assert.deepEqual([x.request.scheme, x.request.headers.raw], [scheme, ['x-a', '1']])
    }
  })

  await t.test('ignores forged headers, and removes them', () => {
    const stranger = sealHop({ scheme: 'https' }, new Keyring([randomBytes(32)]))
    const own = sealHop({ scheme: 'https' }, ring)
    for (const value of ['', '1', stranger, [stranger, own], [own, own]]) {
      const x = run(notice, exchange({ headers: { [FIELD]: value, 'x-a': '1' } }))
      assert.deepEqual(x.hop, { fields: ['x-a', '1'], isPassedOn: false }, String(value))
      assert.deepEqual([x.request.scheme, x.request.headers.raw], ['http', ['x-a', '1']])
    }
  })
})
