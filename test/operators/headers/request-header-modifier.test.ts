import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeaderModifier } from '../../../src/operators/headers/schema.ts'
import { modifyRequestHeaders } from '../../../src/operators/headers/request-header-modifier.ts'
import { exchange, operatorLaws, run, TraceRecorder } from '../../../src/testing/index.ts'

const modifier = (given: Partial<HeaderModifier>): HeaderModifier => ({
  add: [],
  set: [],
  remove: [],
  ...given,
})
const modified = (given: Partial<HeaderModifier>, headers: Record<string, string | string[]>) =>
  run(modifyRequestHeaders(modifier(given)), exchange({ headers })).request

test('modifyRequestHeaders', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(modifyRequestHeaders(modifier({ add: [['a', 'b']] }))),
  )

  await t.test('adds, then sets, then removes', () => {
    const { headers } = modified(
      {
        add: [
          ['x-a', '2'],
          ['x-b', '2'],
          ['x-c', '2'],
        ],
        set: [
          ['x-b', '3'],
          ['x-d', '3'],
        ],
        remove: ['x-c', 'x-absent'],
      },
      { 'x-a': '1', 'x-b': ['0', '1'], 'x-c': '1' },
    )
    assert.deepEqual(headers.raw, ['x-a', '1', 'x-b', '3', 'x-a', '2', 'x-d', '3'])
  })

  await t.test('changes the authority with host, and keeps both equal', () => {
    const request = modified({ set: [['host', 'Other.test:81']] }, { host: 'gateway.test' })
    assert.deepEqual([request.authority, request.headers.all('host')], ['other.test:81', ['other.test:81']])
    assert.equal(
      modified({ add: [['Host', 'other.test']] }, { host: 'gateway.test' }).authority,
      'other.test',
    )
  })

  await t.test('does not remove host', () => {
    const request = modified({ remove: ['host'] }, { host: 'gateway.test' })
    assert.deepEqual([request.authority, request.headers.get('host')], ['gateway.test', 'gateway.test'])
  })

  await t.test('ignores framing and hop-by-hop headers', () => {
    const framing = [
      'content-length',
      'transfer-encoding',
      'connection',
      'te',
      'upgrade',
      'trailer',
      'keep-alive',
    ]
    const { headers } = modified(
      { set: framing.map((name) => [name, 'x'] as const), remove: framing },
      { 'content-length': '5' },
    )
    assert.deepEqual(headers.raw, ['content-length', '5'])
  })

  await t.test('sends text beyond Latin-1 as UTF-8, and no line breaks', () => {
    const { headers } = modified(
      {
        set: [
          ['x-euro', '€'],
          ['x-broken', 'a\r\nx-evil: b'],
        ],
      },
      {},
    )
    assert.deepEqual(headers.raw, ['x-euro', Buffer.from('€').toString('latin1')])
  })

  await t.test('combines with another modifier', () => {
    const one = modifyRequestHeaders(modifier({ add: [['x-hop', 'route']] }))
    const other = modifyRequestHeaders(modifier({ add: [['x-hop', 'backend']] }))
    assert.deepEqual(run(other, run(one, exchange())).request.headers.all('x-hop'), ['route', 'backend'])
  })

  await t.test('traces the request after its changes', () => {
    const trace = new TraceRecorder()
    run(modifyRequestHeaders(modifier({})), exchange({ trace }))
    assert.deepEqual(trace.snapshots, ['request header modifier'])
  })
})
