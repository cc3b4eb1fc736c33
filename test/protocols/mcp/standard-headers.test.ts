import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Headers } from '../../../src/model/exchange/headers.ts'
import {
  decodeHeaderValue,
  encodeHeaderValue,
  mismatchedHeader,
  standardHeaders,
} from '../../../src/protocols/mcp/standard-headers.ts'

test('header values', async (t) => {
  await t.test('are encoded as the specification requires', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['us-west1', 'us-west1'],
      ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
      [' padded ', '=?base64?IHBhZGRlZCA=?='],
      ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
      ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
      ['', '=?base64??='],
      ['a b\tc', 'a b\tc'],
      ['\t', '=?base64?CQ==?='],
      ['a\u007f', '=?base64?YX8=?='],
      ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
      ['=?BASE64?a?=', '=?BASE64?a?='],
    ]
    for (const [text, value] of cases) {
      assert.equal(encodeHeaderValue(text), value, text)
      assert.equal(decodeHeaderValue(value), text, value)
    }
  })

  await t.test('survive a round trip through HTTP', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const value = encodeHeaderValue(text)
        assert.match(value, /^[!-~](?:[\t -~]*[!-~])?$/)
        assert.equal(decodeHeaderValue(value), text)
      }),
      { numRuns: 1000 },
    )
  })

  await t.test('are refused if they contain invalid characters', () => {
    const odd = [
      'é',
      'a\u0000',
      'a\r\nb',
      ' a',
      '=?base64?a?=',
      '=?base64?YQ?=',
      '=?base64?YR==?=',
      '=?base64?_w==?=',
    ]
    for (const value of [...odd, '=?base64?/w==?=', '=?base64?YQ== ?='])
      assert.equal(decodeHeaderValue(value), undefined, value)
  })
})

test('headers that mirror a request', async (t) => {
  await t.test('are its method and its subject', () => {
    assert.deepEqual(standardHeaders('tools/list', {}), ['mcp-method', 'tools/list'])
    assert.deepEqual(standardHeaders('tools/call', { name: 'größe' }), [
      'mcp-method',
      'tools/call',
      'mcp-name',
      '=?base64?Z3LDtsOfZQ==?=',
    ])
    assert.deepEqual(standardHeaders('prompts/get', { name: 'p' }).at(-1), 'p')
    assert.deepEqual(standardHeaders('resources/read', { uri: 'file:///a' }).at(-1), 'file:///a')
    assert.deepEqual(standardHeaders('tasks/get', { taskId: '7' }).at(-1), '7')
    assert.deepEqual(standardHeaders('tools/call', { name: 7 }), ['mcp-method', 'tools/call'])
    assert.deepEqual(standardHeaders('a\r\nb: c', undefined), ['mcp-method', '=?base64?YQ0KYjogYw==?='])
  })

  const version = '2026-07-28'
  const params = { name: 'größe', _meta: { 'io.modelcontextprotocol/protocolVersion': version } }
  const message = { method: 'tools/call', params }
  const agreeing = {
    'mcp-protocol-version': version,
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
  }
  const check = (
    fields: Record<string, string | readonly string[]>,
    some: Parameters<typeof mismatchedHeader>[1] = message,
  ) => mismatchedHeader(Headers.of(fields), some)

  await t.test('match it', () => {
    assert.equal(check(agreeing), undefined)
    const list = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' }
    assert.equal(check(list, { method: 'tools/list' }), undefined)
    assert.equal(check({ ...list, 'mcp-name': 'whatever' }, { method: 'tools/list' }), undefined)
  })

  await t.test('are required', () => {
    const value = (left: string) => {
      const mismatch = check(Object.fromEntries(Object.entries(agreeing).filter(([name]) => name !== left)))
      return [mismatch?.header, mismatch?.message]
    }
    for (const header of ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'])
      assert.deepEqual(value(header.toLowerCase()), [
        header,
        `${header} header/body mismatch: the header is missing`,
      ])
  })

  await t.test('are refused if they differ', () => {
    assert.deepEqual(check({ ...agreeing, 'mcp-method': 'Tools/call' }), {
      header: 'Mcp-Method',
      message: "Mcp-Method header/body mismatch: the header says 'Tools/call', the body 'tools/call'",
    })
    assert.equal(check({ ...agreeing, 'mcp-protocol-version': '2025-11-25' })?.header, 'MCP-Protocol-Version')
    assert.equal(check({ ...agreeing, 'mcp-name': 'other' })?.header, 'Mcp-Name')
    assert.match(check({ ...agreeing, 'mcp-name': 'größe' })?.message ?? '', /invalid characters/)
    assert.equal(check({ ...agreeing, 'mcp-method': ['tools/call', 'tools/call'] })?.header, 'Mcp-Method')
    assert.ok((check({ ...agreeing, 'mcp-name': 'x'.repeat(5000) })?.message.length ?? 0) < 300)
  })

  await t.test('are decoded before they are compared', () => {
    const marked = '=?base64?YQ==?='
    const named = (name: string) => ({ method: 'tools/call', params: { ...params, name } })
    assert.equal(check({ ...agreeing, 'mcp-name': marked }, named(marked))?.header, 'Mcp-Name')
    assert.equal(check({ ...agreeing, 'mcp-name': marked }, named('a')), undefined)
  })

  await t.test('need not name a task, but may not name another', () => {
    const task = { method: 'tasks/get', params: { taskId: '7' } }
    const fields = { 'mcp-protocol-version': version, 'mcp-method': 'tasks/get' }
    assert.equal(check(fields, task), undefined)
    assert.equal(check({ ...fields, 'mcp-name': '8' }, task)?.header, 'Mcp-Name')
  })

  await t.test('match if the gateway encoded them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const raw = ['mcp-protocol-version', version, ...standardHeaders('tools/call', { name })]
        return (
          mismatchedHeader(new Headers(raw), { method: 'tools/call', params: { ...params, name } }) ===
          undefined
        )
      }),
    )
  })
})
