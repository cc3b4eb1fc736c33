import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import { Headers } from '../../../src/model/exchange/headers.ts'
import { mirrorParams, mismatchedParam, paramHeaders } from '../../../src/protocols/mcp/param-headers.ts'

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    query: { type: 'string' },
    options: {
      type: 'object',
      properties: {
        limit: { type: 'integer', 'x-mcp-header': 'Limit' },
        dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
      },
    },
  },
}

const headersOf = (inputSchema: unknown) => {
  const found = paramHeaders(inputSchema)
  assert.ok('headers' in found, JSON.stringify(found))
  return found.headers
}

const invalid = (inputSchema: unknown) => {
  const found = paramHeaders(inputSchema)
  return 'invalid' in found ? found.invalid : undefined
}

const annotated = { type: 'string', 'x-mcp-header': 'A' }

test("header annotations of a tool's parameters", async (t) => {
  await t.test('are found on nested properties', () => {
    assert.deepEqual(headersOf(schema), [
      { field: 'mcp-param-region', spelling: 'Region', path: ['region'], type: 'string' },
      { field: 'mcp-param-limit', spelling: 'Limit', path: ['options', 'limit'], type: 'integer' },
      { field: 'mcp-param-dry-run', spelling: 'Dry-Run', path: ['options', 'dry'], type: 'boolean' },
    ])
    for (const none of [
      undefined,
      null,
      true,
      {},
      { properties: [] },
      { type: 'object', properties: { a: true } },
    ])
      assert.deepEqual(headersOf(none), [])
  })

  await t.test('are ignored if the keyword is data', () => {
    assert.deepEqual(headersOf({ properties: { 'x-mcp-header': { type: 'string' } } }), [])
    assert.deepEqual(
      headersOf({ default: annotated, examples: [annotated], enum: [annotated], const: annotated }),
      [],
    )
  })

  await t.test('are refused anywhere else', () => {
    const below = { properties: { a: annotated } }
    const single =
      'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties'
    const places: JsonObject[] = single.split(' ').map((keyword) => ({ [keyword]: below }))
    for (const keyword of ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
      places.push({ [keyword]: [{}, below] })
    for (const keyword of ['$defs', 'definitions', 'dependentSchemas', 'patternProperties'])
      places.push({ [keyword]: { k: below } })
    for (const place of places) {
      assert.match(invalid(place) ?? '', /through properties alone/, JSON.stringify(place))
      assert.match(
        invalid({ properties: { p: place } }) ?? '',
        /through properties alone/,
        JSON.stringify(place),
      )
    }
    assert.match(invalid(annotated) ?? '', /at the root/)
  })

  await t.test('are refused if they are invalid or repeated names', () => {
    const odd = ['', 'a b', 'a\r\nb', 'ä', 'a:', 7, null, ['a']]
    for (const name of odd)
      assert.match(
        invalid({ properties: { a: { type: 'string', 'x-mcp-header': name } } }) ?? '',
        /not the name/,
      )
    assert.equal(
      invalid({ properties: { a: annotated, b: { ...annotated, 'x-mcp-header': 'a' } } }),
      'x-mcp-header at b is a name that another has: a',
    )
  })

  await t.test('are refused for types without an exact text form', () => {
    for (const type of ['number', 'object', 'array', 'null', undefined, ['string', 'null']])
      assert.match(invalid({ properties: { a: { type, 'x-mcp-header': 'A' } } }) ?? '', /something else than/)
  })
})

test('arguments of a call', async (t) => {
  const headers = headersOf(schema)
  const check = (args: JsonObject | undefined, raw: string[]) =>
    mismatchedParam(headers, args, new Headers(raw))

  await t.test('are mirrored to headers if they are present', () => {
    assert.deepEqual(
      mirrorParams(headers, { region: 'süd', query: 'q', options: { limit: -7, dry: false } }),
      ['mcp-param-region', '=?base64?c8O8ZA==?=', 'mcp-param-limit', '-7', 'mcp-param-dry-run', 'false'],
    )
    for (const args of [undefined, {}, { region: null, options: null }, { region: {}, options: 'x' }])
      assert.deepEqual(mirrorParams(headers, args), [])
    assert.deepEqual(mirrorParams(headers, { options: { limit: 2 ** 53 } }), [])
  })

  await t.test('are not read from prototypes', () => {
    const odd = headersOf({ properties: { constructor: { properties: { name: annotated } } } })
    assert.deepEqual(mirrorParams(odd, {}), [])
  })

  await t.test('match their fields, numbers by value', () => {
    const args = { options: { limit: 42 } }
    for (const value of ['42', '42.0', '042', '=?base64?NDI=?='])
      assert.equal(check(args, ['mcp-param-limit', value]), undefined, value)
    for (const value of ['43', '4.2e1', '0x2a', '', ' 42'])
      assert.match(
        check(args, ['mcp-param-limit', value]) ?? '',
        /^Mcp-Param-Limit header\/body mismatch: /,
        value,
      )
  })

  await t.test('do not match fields that are missing, or that mirror nothing', () => {
    assert.equal(check({ region: 'a' }, []), 'Mcp-Param-Region header/body mismatch: the header is missing')
    for (const args of [{}, { region: null }, undefined])
      assert.equal(
        check(args, ['mcp-param-region', 'a']),
        'Mcp-Param-Region header/body mismatch: the header mirrors nothing',
      )
    assert.match(check({ region: 'b' }, ['mcp-param-region', 'a']) ?? '', /something else than the body/)
    assert.match(check({ region: 'é' }, ['mcp-param-region', 'é']) ?? '', /invalid characters/)
    assert.match(check({ options: { dry: true } }, ['mcp-param-dry-run', 'TRUE']) ?? '', /something else/)
    assert.match(check({ region: '42' }, ['mcp-param-region', '42.0']) ?? '', /something else/)
    assert.equal(check({}, ['mcp-param-other', 'a']), undefined)
  })

  await t.test('match their own encoding', () => {
    const args = fc.record(
      {
        region: fc.option(fc.string({ unit: 'binary' })),
        options: fc.record({ limit: fc.maxSafeInteger(), dry: fc.boolean() }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    fc.assert(fc.property(args, (some) => check(some, mirrorParams(headers, some)) === undefined))
  })
})
