import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configDumpEndpoint } from '../../src/admin/handlers/config-dump.ts'
import { jsonParts } from '../../src/admin/json-chunks.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { inSlices } from '../../src/model/event-loop/time-slicing.ts'
import { lateByKey, lateList } from '../../src/model/trace/lazy-json.ts'
import { Redaction } from '../../src/model/trace/redact.ts'
import { redactValue } from '../../src/model/trace/redact-value.ts'
import { call } from '../support/admin-call.ts'

const dump = {
  empty: {},
  none: [],
  absent: undefined,
  binds: [
    {
      key: 'bind/3000',
      port: 3000,
      listeners: [{ hostname: '', routes: [{ name: 'a', matches: [{ path: { pathPrefix: '/' } }] }, {}] }],
    },
    { key: 'bind/3001', port: undefined, listeners: [] },
  ],
  match: { name: 'authorization', value: { exact: 'SECRET' } },
  policies: {
    requestHeaderModifier: { set: [['authorization', 'Bearer SECRET']], remove: ['authorization', 'x'] },
    nested: { deep: { backendAuth: { apiKey: 'SECRET', password: ['SECRET', 'SECRET'], code: 302 } } },
    client_secret: 'SECRET',
    proxy: 'http://user:SECRET@proxy.test/?token=SECRET',
  },
}

test('the chunked JSON of a configuration', async (t) => {
  const redaction = new Redaction()

  await t.test('equals the output of JSON.stringify, in parts', () => {
    const parts = [...jsonParts(dump, redaction)]
    assert.ok(parts.length > 20)
    assert.equal(parts.join(''), JSON.stringify(redactValue(dump, redaction), null, 2))
    for (const small of [null, 1, 'a', [], {}, [1], { a: 1 }, [[]]])
      assert.equal([...jsonParts(small, redaction)].join(''), JSON.stringify(small, null, 2))
  })

  await t.test('serializes parts that are created late by their final value', () => {
    const things = [{ key: 'a' }, { key: 'b', password: 'SECRET', deep: { client_secret: ['SECRET'] } }]
    const late = {
      none: [lateByKey([], () => 1), lateList([], () => 1)],
      byKey: lateByKey(things, (thing) => thing),
      list: lateList(things, (thing) => ({ again: lateList([thing], (one) => one) })),
    }
    const text = [...jsonParts(late, redaction)].join('')
    const plain: unknown = JSON.parse(JSON.stringify(late))
    assert.equal(text, JSON.stringify(redactValue(plain, redaction), null, 2))
    assert.doesNotMatch(text, /SECRET/)
  })

  await t.test('contains no secret', () => {
    const text = [...jsonParts(dump, redaction)].join('')
    assert.doesNotMatch(text, /SECRET/)
    assert.match(text, /"proxy": "http:\/\/<redacted>@proxy\.test\/\?token=<redacted>"/)
    assert.match(text, /"code": 302/)
    assert.match(text, /"key": "bind\/3000"/)
  })

  await t.test('is written in slices, with other work in between', async () => {
    const routes = Array.from({ length: 5_000 }, (_, i) => ({
      name: `route${i}`,
      matches: [{ path: { exact: `/${i}` } }],
    }))
    let turns = 0
    const other = setInterval(() => turns++)
    // Of a fast machine, one slice may hold the whole text.
    for (let i = 0; i < 100 && turns === 0; i++) {
      let text = ''
      for await (const part of inSlices(jsonParts({ routes }, redaction))) text += part
      assert.equal(text, JSON.stringify({ routes }, null, 2))
    }
    clearInterval(other)
    assert.ok(turns > 0, 'a timer fired while the text was made')
  })
})

test('GET /config_dump returns the configuration', async (t) => {
  const endpoint = configDumpEndpoint(() => dump)
  const server = await serveEndpoints({ address: { host: '127.0.0.1', port: 0 }, endpoints: [endpoint] })
  t.after(() => server.close(0))
  const { status, headers, text } = await call(server.addresses[0] ?? '', '/config_dump')
  assert.deepEqual([status, headers['content-type']], [200, 'application/json'])
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(redactValue(dump, new Redaction()))))
  const head = await call(server.addresses[0] ?? '', '/config_dump', { method: 'HEAD' })
  assert.deepEqual([head.status, head.text], [200, ''])
})
