import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../src/model/exchange/exchange.ts'
import { requestTracing, type Sampler } from '../../../src/operators/otlp/begin-spans.ts'
import { exchange } from '../../../src/testing/exchange.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'
const valid = `00-${traceId}-${spanId}-01`

const begin = (
  headers: Record<string, string | string[]>,
  samplers: { random?: Sampler; client?: Sampler; drawn?: number } = {},
): { readonly x: Exchange; readonly decision: string } => {
  const x = exchange({ headers })
  const { random = 1, client = 1, drawn = 0.5 } = samplers
  const tracing = requestTracing({ randomSampling: random, clientSampling: client, random: () => drawn })
  return { decision: tracing.begin(x), x }
}

test('a sampled request', async (t) => {
  await t.test('continues the trace of its client with a span of its own', () => {
    const { x, decision } = begin({ traceparent: valid, tracestate: 'a=1' })
    const { spans } = x.span ?? {}
    assert.equal(decision, 'sample (client)')
    assert.deepEqual([spans?.traceId, spans?.server.parentSpanId], [traceId, spanId])
    assert.match(String(spans?.server.spanId), /^[\da-f]{16}$/)
    assert.equal(x.request.headers.get('traceparent'), `00-${traceId}-${String(spans?.server.spanId)}-01`)
    assert.equal(x.request.headers.get('tracestate'), 'a=1')
  })

  await t.test('sets the sampled flag, keeps the random flag, and no other', () => {
    for (const [flags, sent] of [
      ['00', '01'],
      ['01', '01'],
      ['02', '03'],
      ['03', '03'],
      ['ff', '03'],
    ] as const) {
      const { x } = begin({ traceparent: `00-${traceId}-${spanId}-${flags}` })
      assert.match(String(x.request.headers.get('traceparent')), new RegExp(`-${sent}$`), flags)
    }
  })

  await t.test('continues a trace of a later version with version 00', () => {
    for (const later of [`cc-${traceId}-${spanId}-01`, `cc-${traceId}-${spanId}-01-what-the-future-brings`]) {
      const { x } = begin({ traceparent: later })
      assert.match(
        String(x.request.headers.get('traceparent')),
        new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`),
      )
    }
  })

  for (const [why, traceparent] of Object.entries({
    'two fields': [valid, valid],
    'two different fields': [valid, valid.replace('b7', 'b8')],
    'the reserved version': `ff-${traceId}-${spanId}-01`,
    'a version with letters outside of the range': `.0-${traceId}-${spanId}-01`,
    'a version that is too long': `000-${traceId}-${spanId}-01`,
    'a trace id of zeros': `00-${'0'.repeat(32)}-${spanId}-01`,
    'capitals in the trace id': `00-${traceId.toUpperCase()}-${spanId}-01`,
    'a trace id that is too long': `00-${traceId}0-${spanId}-01`,
    'a parent id of zeros': `00-${traceId}-${'0'.repeat(16)}-01`,
    'a parent id that is too short': `00-${traceId}-${spanId.slice(1)}-01`,
    'flags that are too long': `00-${traceId}-${spanId}-001`,
    'invalid flags': `00-${traceId}-${spanId}-.1`,
    'something after version 00': `${valid}-more`,
    nothing: '',
  }))
    await t.test(`begins a trace, without the state, for a context with ${why}`, () => {
      const { x, decision } = begin({ traceparent, tracestate: 'a=1' })
      assert.equal(decision, 'sample (random)')
      const sent = x.request.headers.all('traceparent')
      assert.equal(sent.length, 1)
      assert.match(String(sent[0]), /^00-[\da-f]{32}-[\da-f]{16}-01$/)
      assert.equal(sent[0]?.includes(traceId), false)
      assert.equal(x.request.headers.has('tracestate'), false)
      assert.equal(x.span?.spans.server.parentSpanId, undefined)
    })

  await t.test('sends one state, or none if it is invalid', () => {
    const members = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=v`).join(',')
    const long = `${'a'.repeat(200)}=${'b'.repeat(200)}`
    for (const [given, sent] of [
      [['foo=1', 'bar=2'], 'foo=1,bar=2'],
      [['foo=1 \t,  \tbar=2', '', 'baz=3'], 'foo=1,bar=2,baz=3'],
      [['foo=1,foo=2'], 'foo=1,foo=2'],
      [['foo@vendor=a !#$~'], 'foo@vendor=a !#$~'],
      [['1a-2b@foo=1'], '1a-2b@foo=1'],
      [[members(32)], members(32)],
      [[members(33)], undefined],
      [['foo =1'], undefined],
      [['FOO=1'], undefined],
      [['foo=1='], undefined],
      [['foo='], undefined],
      [['foo@=1'], undefined],
      [['foo@bar@baz=1'], undefined],
      [[`${'z'.repeat(257)}=1`], undefined],
      [[`${'t'.repeat(242)}@v=1`], undefined],
      [[`foo=${'v'.repeat(257)}`], undefined],
      [[''], undefined],
      [[`a=1,${long},b=2,${long.replace('a', 'c')},${long.replace('a', 'd')}`], 'a=1,b=2'],
    ] as const) {
      const { x } = begin({ traceparent: valid, tracestate: [...given] })
      assert.deepEqual(
        x.request.headers.all('tracestate'),
        sent === undefined ? [] : [sent],
        given.join(' | '),
      )
      assert.equal(x.span?.spans.traceState, sent)
    }
  })

  await t.test('passes baggage on unchanged', () => {
    const { x } = begin({ traceparent: valid, baggage: ['a=1;p=2', 'b=%20'] })
    assert.deepEqual(x.request.headers.all('baggage'), ['a=1;p=2', 'b=%20'])
  })
})

test('sampling', async (t) => {
  await t.test('depends on the client for requests with a context, otherwise on chance', () => {
    const cases: readonly [headers: Record<string, string>, samplers: Parameters<typeof begin>[1], string][] =
      [
        [{ traceparent: valid }, { client: 0 }, 'not sampled (client)'],
        [{ traceparent: `00-${traceId}-${spanId}-00` }, { client: 1 }, 'sample (client)'],
        [{ traceparent: `00-${traceId}-${spanId}-00` }, { client: 'parent' }, 'not sampled (client)'],
        [{ traceparent: valid }, { client: 'parent', random: 0 }, 'sample (client)'],
        [{}, { random: 0 }, 'not sampled (random)'],
        [{}, { random: 'parent' }, 'not sampled (random)'],
        [{}, { random: 0.5, drawn: 0.49 }, 'sample (random)'],
        [{}, { random: 0.5, drawn: 0.5 }, 'not sampled (random)'],
      ]
    for (const [headers, samplers, decision] of cases) {
      const begun = begin(headers, samplers)
      assert.equal(begun.decision, decision)
      assert.equal(begun.x.span !== undefined, decision.startsWith('sample'))
    }
  })

  await t.test('takes shares and truth values of expressions, and failures for no', () => {
    const given = (value: unknown): boolean => begin({}, { random: () => ({ value }) }).x.span !== undefined
    assert.deepEqual([true, 1, 1n, 0.51, false, 0, 0n, 0.5, 'yes', null, NaN, -1].map(given), [
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
      false,
      false,
    ])
    assert.equal(begin({}, { random: () => ({ error: 'no such key' }) }).x.span, undefined)
  })

  await t.test('of a share of clients depends on the trace id, so that replicas agree', () => {
    const shareOf = (id: string) =>
      begin({ traceparent: `00-${id}-${spanId}-01` }, { client: 0.5 }).x.span !== undefined
    assert.deepEqual(
      [`${traceId.slice(0, 19)}7ffffffffffff`, `${traceId.slice(0, 19)}8000000000000`].map(shareOf),
      [true, false],
    )
  })

  await t.test('leaves requests that are not recorded as they are', () => {
    const headers = { traceparent: ['x', 'y'], tracestate: ['a=1', 'b=2'] }
    const { x } = begin(headers, { random: 0 })
    assert.deepEqual(x.request.headers.all('traceparent'), headers.traceparent)
    assert.deepEqual(x.request.headers.all('tracestate'), headers.tracestate)
  })
})

test('the calls of a request', async (t) => {
  await t.test('have spans up to a limit, and are counted beyond it', () => {
    const { span: scope } = begin({}).x
    const made = Array.from({ length: 130 }, () => scope?.start('Policy', 'ExtAuthz'))
    assert.equal(made.filter((span) => span !== undefined).length, 128)
    assert.equal(scope?.spans.dropped, 2)
  })

  await t.test('that end after the request are exported as well', () => {
    const { spans } = begin({}).x.span ?? {}
    const [first, second, third] = ['a', 'b', 'c'].map((name) => spans?.start('0', name))
    if (!spans || !first || !second || !third) throw new TypeError('there are no spans')
    spans.end(first)
    spans.end(first)
    const late: string[] = []
    assert.deepEqual(
      spans.complete(({ name }) => late.push(name)).map(({ name }) => name),
      ['a'],
    )
    spans.end(second)
    assert.deepEqual(late, ['b'])
    spans.complete(undefined)
    spans.end(third)
    assert.deepEqual(late, ['b'])
  })
})
