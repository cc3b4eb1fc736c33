import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  requestMirror,
  type MirrorOptions,
  type MirroredRequest,
} from '../../../src/operators/request-mirror/request-mirror.ts'
import { exchange, ManualBody, operatorLaws, run, TraceRecorder } from '../../../src/testing/index.ts'

const sendInto =
  (copies: MirroredRequest[]): MirrorOptions['send'] =>
  (copy) => {
    copies.push(copy)
    return Promise.resolve()
  }

/** The body of a copy, which is complete when it is sent. */
const bodyText = (copy: MirroredRequest | undefined): string => {
  const source = copy?.body.source()
  assert.ok(source instanceof Buffer)
  return source.toString()
}

test('requestMirror', async (t) => {
  await t.test('obeys the laws of operators', () =>
    operatorLaws(requestMirror({ fraction: 1, send: sendInto([]) })),
  )

  await t.test('sends the request as the backend would get it', () => {
    const copies: MirroredRequest[] = []
    const headers = { host: 'gateway.test', 'content-length': '4', expect: '100-continue', 'x-a': '1' }
    run(
      requestMirror({ fraction: 1, send: sendInto(copies) }),
      exchange({ method: 'POST', path: '/a?q', body: 'text', headers }),
    )
    const [copy] = copies
    assert.deepEqual(
      [copy?.method, copy?.target, copy?.scheme, copy?.authority, copy?.headers.raw],
      ['POST', '/a?q', 'http', 'gateway.test', ['host', 'gateway.test', 'x-a', '1', 'content-length', '4']],
    )
    assert.equal(bodyText(copy), 'text')
  })

  await t.test('leaves the request unchanged', () => {
    const x = exchange({ method: 'POST', body: 'text', headers: { 'content-length': '4' } })
    const { body } = x.request
    run(requestMirror({ fraction: 1, send: sendInto([]) }), x)
    assert.deepEqual([x.request.headers.raw, x.request.body === body], [['content-length', '4'], true])
  })

  await t.test('copies the request before later stages change it', () => {
    const copies: MirroredRequest[] = []
    const x = run(
      requestMirror({ fraction: 1, send: sendInto(copies) }),
      exchange({ headers: { 'x-a': '1' } }),
    )
    x.request.headers.set('x-a', '2')
    assert.equal(copies[0]?.headers.get('x-a'), '1')
  })

  await t.test('copies a body while it passes, and sends the copy when it is complete', async () => {
    const copies: MirroredRequest[] = []
    const body = new ManualBody()
    const x = run(
      requestMirror({ fraction: 1, send: sendInto(copies) }),
      exchange({ method: 'POST', body, headers: { 'transfer-encoding': 'chunked' } }),
    )
    const received = x.request.body.read(100)
    body.send('one ')
    body.send('two')
    assert.equal(copies.length, 0)
    body.end()
    assert.equal(String(await received), 'one two')
    await new Promise(setImmediate)
    assert.deepEqual([bodyText(copies[0]), copies[0]?.headers.get('content-length')], ['one two', '7'])
  })

  await t.test('sends no copy of a body that is too long, or breaks off, or is dropped', async () => {
    const copies: MirroredRequest[] = []
    const mirror = requestMirror({ fraction: 1, send: sendInto(copies), limitBytes: 4, maxInFlight: 1 })
    const started = () => {
      const body = new ManualBody()
      return { body, x: run(mirror, exchange({ method: 'POST', body })) }
    }
    const long = started()
    const whole = long.x.request.body.read(100)
    long.body.send('longer')
    long.body.end()
    assert.equal(String(await whole), 'longer')
    const broken = started()
    const reading = broken.x.request.body.read(100)
    broken.body.fail(new Error('gone'))
    await assert.rejects(reading, /gone/)
    started().x.request.body.drop()
    assert.equal(copies.length, 0)
    // None of them occupies the only slot.
    run(mirror, exchange())
    assert.equal(copies.length, 1)
  })

  await t.test('copies an exchange once, however often its call is repeated', () => {
    const copies: MirroredRequest[] = []
    const mirror = requestMirror({ fraction: 1, send: sendInto(copies) })
    run(mirror, run(mirror, exchange()))
    assert.equal(copies.length, 1)
  })

  await t.test('copies a fraction of requests', () => {
    const copies: MirroredRequest[] = []
    const draws = [0, 0.24, 0.25, 0.9]
    const quarter = requestMirror({
      fraction: 0.25,
      send: sendInto(copies),
      random: () => draws.shift() ?? 1,
    })
    for (const path of ['/1', '/2', '/3', '/4']) run(quarter, exchange({ path }))
    assert.deepEqual(
      copies.map(({ target }) => target),
      ['/1', '/2'],
    )
    run(requestMirror({ fraction: 0, send: sendInto(copies), random: () => 0 }), exchange())
    assert.equal(copies.length, 2)
  })

  await t.test('ignores a destination that fails, at once or later', async () => {
    const fail = [
      () => {
        throw new Error('at once')
      },
      () => Promise.reject(new Error('later')),
    ]
    for (const send of fail)
      assert.equal(run(requestMirror({ fraction: 1, send }), exchange()).reply, undefined)
    await new Promise(setImmediate)
  })

  await t.test('sends no copies while too many are active', async () => {
    const finish: (() => void)[] = []
    const send = () => new Promise<void>((resolve) => finish.push(resolve))
    const slow = requestMirror({ fraction: 1, send, maxInFlight: 2 })
    for (let i = 0; i < 5; i++) run(slow, exchange())
    assert.equal(finish.length, 2)
    finish[0]?.()
    await new Promise(setImmediate)
    for (let i = 0; i < 5; i++) run(slow, exchange())
    assert.equal(finish.length, 3)
  })

  await t.test('traces whether a copy was sent', () => {
    const results = [0.5, 0].map((drawn) => {
      const trace = new TraceRecorder()
      run(requestMirror({ fraction: 0.5, send: sendInto([]), random: () => drawn }), exchange({ trace }))
      return trace.entries.map((note) => note.type === 'policy' && note.result.type)
    })
    assert.deepEqual(results, [['skip'], ['apply']])
  })
})
