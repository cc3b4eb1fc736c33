import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { celEndpoints } from '../../src/admin/handlers/cel.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { customFunctions } from '../../src/cel/custom/custom-functions.ts'
import { call } from '../support/admin-call.ts'

const data = {
  request: { method: 'GET', path: '/a', headers: { 'X-Team': ['blue', 'red'] }, body: { model: 'm-1' } },
  jwt: { sub: 'alice', rawToken: 'abc.def.ghi' },
  apiKey: { key: 'k-1', team: 'blue' },
}

/** Expression → its value. */
const values: Readonly<Record<string, unknown>> = {
  '1 + 1': 2,
  'request.method == "GET" && jwt.sub == "alice"': true,
  'request.headers["x-team"]': ['blue', 'red'],
  'json(request.body).model': 'm-1',
  'isTeam("blue")': true,
  null: null,
  '{"a": [1, 2.5, b"x", duration("1s")]}': { a: [1, 2.5, 'eA==', '1s'] },
  // Credentials are redacted as in traffic, unless requested.
  'jwt.rawToken': '<redacted>',
  'toJson(apiKey)': '{"key":"<redacted>","team":"blue"}',
  'jwt.rawToken.unredacted()': 'abc.def.ghi',
}

/** Request body → the error message. */
const refused: readonly (readonly [body: string, message: RegExp])[] = [
  ['', /^Failed to parse input data: the body is not JSON$/],
  ['{', /^Failed to parse input data: the body is not JSON$/],
  ['[]', /^Failed to parse input data: \{"expression"/],
  ['null', /^Failed to parse input data: \{"expression"/],
  ['{"expression": 5}', /^Failed to parse input data: expression must be a text$/],
  ['{"expression": "1", "data": 5}', /^Failed to parse input data: the data must be an object$/],
  ['{"expression": "1", "data": {"reqest": {}}}', /unknown variable: "reqest"; did you mean "request"\?$/],
  [
    '{"expression": "1", "data": {"request": {"pth": ""}}}',
    /unknown field of request: "pth"; did you mean "path"\?$/,
  ],
  [
    `{"expression": "1", "data": {"request": {"body": ${'['.repeat(20_000)}${']'.repeat(20_000)}}}}`,
    /nested too deeply$/,
  ],
  [
    '{"expression": "reqest.path"}',
    /^Failed to compile expression: unknown variable "reqest" \(line 1, column 1\); did you mean "request"\?$/,
  ],
  [
    '{"expression": "1 +\\n request.pth"}',
    /request has no field "pth" \(line 2, column 10\); did you mean "path"\?$/,
  ],
  ['{"expression": "isTaem()"}', /unknown function "isTaem" \(line 1, column 1\); did you mean "isTeam"\?$/],
]

test('/api/cel', async (t) => {
  const functions = customFunctions('isTeam(team) { team in request.headers["x-team"] }')
  const server = await serveEndpoints({
    address: { host: '127.0.0.1', port: 0 },
    endpoints: celEndpoints(() => functions),
    hosts: [],
  })
  t.after(() => server.close(0))
  const [address = ''] = server.addresses
  const post = (body: string, headers: Record<string, string> = {}, path = '/api/cel') =>
    call(address, path, { method: 'POST', headers, body })

  for (const [expression, expected] of Object.entries(values))
    await t.test(`evaluates ${expression}`, async () => {
      const { status, text, headers } = await post(JSON.stringify({ expression, data }))
      assert.deepEqual([status, JSON.parse(text)], [200, { result: expected, error: null }])
      assert.equal(headers['content-type'], 'application/json')
    })

  await t.test('reports why an expression has no value', async () => {
    const { status, text } = await post('{"expression": "jwt.sub", "data": {"jwt": {}}}')
    assert.deepEqual(
      [status, JSON.parse(text)],
      [200, { result: null, error: 'Evaluation error: no such key: sub' }],
    )
  })

  await t.test('stops an expression that is too expensive', async () => {
    const list = JSON.stringify(Array.from({ length: 100 }, (_, i) => i))
    const expression = `${list}.all(a, ${list}.all(b, ${list}.all(c, ${list}.all(d, true))))`
    assert.match((await post(JSON.stringify({ expression }))).text, /too expensive/)
  })

  for (const [body, message] of refused)
    await t.test(`replies 400 to ${body.slice(0, 80)}`, async () => {
      const { status, text } = await post(body)
      assert.equal(status, 400)
      assert.match(JSON.parse(text) as string, message)
    })

  await t.test('is also served under its older path', async () => {
    assert.deepEqual(JSON.parse((await post('{"expression": "1"}', {}, '/cel')).text), {
      result: 1,
      error: null,
    })
  })

  await t.test('accepts POST only, and no cross-origin requests', async () => {
    assert.equal((await call(address, '/api/cel')).status, 405)
    for (const headers of [
      { host: 'evil.example' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      assert.equal((await post('{"expression": "1"}', { host: 'localhost', ...headers })).status, 403)
  })

  await t.test('refuses a body that is too large, also one without Content-Length', async () => {
    assert.equal((await post(JSON.stringify({ expression: `"${'a'.repeat(70_000)}"` }))).status, 413)
    const [host, port] = address.split(':')
    const socket = connect(Number(port), host)
    socket.on('error', () => undefined).resume()
    socket.write('POST /api/cel HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`
    for (let i = 0; i < 5; i++) socket.write(chunk)
    await once(socket, 'close')
    assert.equal(socket.bytesRead, 0)
  })
})
