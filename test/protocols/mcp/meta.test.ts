import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMeta, withMeta, withTraceContext, withoutProtocolMeta } from '../../../src/protocols/mcp/meta.ts'

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { roots: {} },
  'io.modelcontextprotocol/logLevel': 'info',
}

test('the _meta of requests', async (t) => {
  await t.test('is read', () => {
    assert.deepEqual(readMeta({ _meta: { ...modern, progressToken: 7 } }), {
      version: '2026-07-28',
      clientInfo: { name: 'c', version: '1' },
      clientCapabilities: { roots: {} },
      logLevel: 'info',
      progressToken: 7,
    })
  })

  await t.test('is ignored if it has another type', () => {
    const nothing = {
      version: undefined,
      clientInfo: undefined,
      clientCapabilities: undefined,
      logLevel: undefined,
      progressToken: undefined,
    }
    const wrong = Object.fromEntries(Object.keys(modern).map((key) => [key, [1]]))
    for (const params of [undefined, {}, { _meta: null }, { _meta: [] }, { _meta: 'x' }, { _meta: wrong }])
      assert.deepEqual(readMeta(params), nothing)
  })

  await t.test('is extended, and the given params are unchanged', () => {
    const params = { name: 'a', _meta: { b: 1, c: 2 } }
    assert.deepEqual(withMeta(params, { c: 3 }), { name: 'a', _meta: { b: 1, c: 3 } })
    assert.deepEqual(params, { name: 'a', _meta: { b: 1, c: 2 } })
    assert.deepEqual(withMeta(undefined, { c: 3 }), { _meta: { c: 3 } })
    assert.deepEqual(withMeta({ _meta: 'x' }, { c: 3 }), { _meta: { c: 3 } })
  })

  await t.test('is removed for servers that do not support it', () => {
    assert.deepEqual(
      withoutProtocolMeta({ name: 'a', _meta: { ...modern, progressToken: 1, 'com.x/y': 2 } }),
      {
        name: 'a',
        _meta: { progressToken: 1, 'com.x/y': 2 },
      },
    )
    assert.deepEqual(withoutProtocolMeta({ name: 'a', _meta: modern }), { name: 'a' })
    assert.equal(withoutProtocolMeta({ _meta: modern }), undefined)
    assert.equal(withoutProtocolMeta(undefined), undefined)
    const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId: '1' } } }
    assert.equal(withoutProtocolMeta(related), related)
  })

  await t.test('has the trace context of the request, unless it has its own', () => {
    const trace = { traceparent: 'p', tracestate: 's', baggage: 'b' }
    assert.deepEqual(withTraceContext({ name: 'a' }, trace), { name: 'a', _meta: trace })
    assert.deepEqual(withTraceContext({ _meta: { traceparent: 'own' } }, trace), {
      _meta: { traceparent: 'own', baggage: 'b' },
    })
    const own = { _meta: { traceparent: 'own', baggage: 'own' } }
    assert.equal(withTraceContext(own, trace), own)
    assert.equal(withTraceContext(undefined, {}), undefined)
    assert.equal(withTraceContext(undefined, { tracestate: 's' }), undefined)
  })
})
