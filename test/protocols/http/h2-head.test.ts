import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readH2RequestHead } from '../../../src/protocols/http/h2-head.ts'
import type { RequestHead } from '../../../src/protocols/http/request-head.ts'

const get = [':method', 'GET', ':scheme', 'https', ':authority', 'a.example', ':path', '/']

const accepted = (raw: readonly string[], endStream = true): RequestHead => {
  const head = readH2RequestHead(raw, endStream)
  if ('refused' in head) assert.fail(head.refused)
  return head
}
const verdict = (raw: readonly string[], endStream = true) => {
  const head = readH2RequestHead(raw, endStream)
  return 'refused' in head ? head.refused : 'ok'
}
/** The usual pseudo-headers with changes; `undefined` omits one. */
const pseudo = (changes: Readonly<Record<string, string | undefined>>): string[] => {
  const usual = { ':method': 'GET', ':scheme': 'https', ':authority': 'a.example', ':path': '/' }
  const fields: Record<string, string | undefined> = { ...usual, ...changes }
  return Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
}

test('readH2RequestHead', async (t) => {
  await t.test('reads a head and converts the authority to a host field', () => {
    const head = accepted([
      ...pseudo({ ':authority': 'A.Example.:8443', ':path': '/x/./y?z' }),
      'x-a',
      '1',
      'te',
      'trailers',
    ])
    assert.deepEqual(
      [head.method, head.scheme, head.host, head.port, head.authority, head.path, head.query, head.target],
      ['GET', 'https', 'a.example', 8443, 'a.example:8443', '/x/y', '?z', '/x/y?z'],
    )
    assert.deepEqual(head.headers, ['host', 'a.example:8443', 'x-a', '1', 'te', 'trailers'])
    assert.deepEqual(
      [head.hasBody, head.chunked, head.protocol, head.upgrade],
      [false, false, undefined, undefined],
    )
  })

  await t.test('has the same fields as a head of HTTP/1', async () => {
    const { readRequestHead } = await import('../../../src/protocols/http/request-head.ts')
    const one = readRequestHead('GET', '/', '1.1', ['Host', 'a.example'])
    assert.deepEqual(Object.keys(accepted(get)), Object.keys(one))
  })

  await t.test('joins cookies that were split for compression', () => {
    const head = accepted([...get, 'cookie', 'a=1', 'x-a', '1', 'cookie', 'b=2', 'cookie', 'c=3'])
    assert.deepEqual(head.headers, ['host', 'a.example', 'cookie', 'a=1; b=2; c=3', 'x-a', '1'])
  })

  await t.test('uses host as the authority if there is no other, and may have both if they agree', () => {
    const alone = accepted([...pseudo({ ':authority': undefined }), 'x-a', '1', 'host', 'B.example'])
    assert.deepEqual([alone.host, alone.headers], ['b.example', ['x-a', '1', 'host', 'b.example']])
    const both = accepted([...get, 'host', 'A.example.:443'])
    assert.deepEqual([both.authority, both.headers], ['a.example', ['host', 'a.example']])
  })

  await t.test('reads body, length, trailers and expectation', () => {
    const head = accepted(
      [...get, 'content-length', '5', 'trailer', 'x-sum', 'expect', '100-continue'],
      false,
    )
    assert.deepEqual([head.hasBody, head.contentLength, head.trailerNames], [true, 5, ['x-sum']])
    assert.equal(head.expectsContinue, true)
    assert.deepEqual(head.headers, ['host', 'a.example', 'content-length', '5'])
    assert.equal(accepted([...get, 'content-length', '0', 'expect', '100-continue']).expectsContinue, false)
  })

  await t.test('reads every kind of CONNECT, and OPTIONS *', () => {
    const plain = accepted([':method', 'CONNECT', ':authority', 'b.example:443'], false)
    assert.deepEqual(
      [plain.host, plain.port, plain.target, plain.path],
      ['b.example', 443, 'b.example:443', ''],
    )
    assert.equal(plain.hasBody, false)
    const websocket = accepted(
      pseudo({ ':method': 'CONNECT', ':protocol': 'WebSocket', ':path': '/chat?x' }),
      false,
    )
    assert.deepEqual(
      [websocket.protocol, websocket.target, websocket.hasBody],
      ['websocket', '/chat?x', false],
    )
    assert.equal(accepted(pseudo({ ':method': 'OPTIONS', ':path': '*' })).path, '*')
  })

  await t.test('drops fields for an earlier proxy', () => {
    assert.deepEqual(accepted([...get, 'proxy-authenticate', 'Basic', 'http2-settings', 'AA']).headers, [
      'host',
      'a.example',
    ])
  })

  await t.test('refuses what HTTP/2 does not allow', () => {
    const connect = [':method', 'CONNECT', ':authority', 'a:80']
    const table: [string, readonly string[], boolean?][] = [
      ['malformed_pseudo_header', []],
      ['malformed_pseudo_header', pseudo({ ':method': undefined })],
      ['malformed_pseudo_header', pseudo({ ':method': '' })],
      ['malformed_pseudo_header', pseudo({ ':method': 'GET /x HTTP/1.1\r\nhost: b\r\n\r\nGET' })],
      ['unsupported_method', pseudo({ ':method': 'get' })],
      ['malformed_pseudo_header', pseudo({ ':scheme': undefined })],
      ['malformed_pseudo_header', pseudo({ ':scheme': 'ftp' })],
      ['malformed_pseudo_header', pseudo({ ':scheme': 'HTTP' })],
      ['malformed_pseudo_header', pseudo({ ':scheme': 'http://b/x?' })],
      ['malformed_pseudo_header', pseudo({ ':path': undefined })],
      ['malformed_pseudo_header', pseudo({ ':path': '' })],
      ['malformed_target', pseudo({ ':path': 'a' })],
      ['malformed_target', pseudo({ ':path': 'http://b/' })],
      ['target_control_character', pseudo({ ':path': '/ HTTP/1.1\r\nhost: b' })],
      ['target_fragment', pseudo({ ':path': '/#' })],
      ['target_encoded_slash', pseudo({ ':path': '/a%2f..%2fb' })],
      ['target_form_not_allowed', pseudo({ ':path': '*' })],
      ['malformed_host', pseudo({ ':authority': '' })],
      ['malformed_host', pseudo({ ':authority': 'u@a' })],
      ['malformed_host', pseudo({ ':authority': 'a:0' })],
      ['malformed_host', pseudo({ ':authority': 'a/b' })],
      ['malformed_host', [...get, 'host', 'a b']],
      ['missing_host', pseudo({ ':authority': undefined })],
      ['host_mismatch', [...get, 'host', 'b.example']],
      ['host_mismatch', [...get, 'host', 'a.example:80']],
      ['several_hosts', [...get, 'host', 'a.example', 'host', 'a.example']],
      ['several_hosts', [...pseudo({ ':authority': undefined }), 'host', 'a', 'host', 'b']],
      ['malformed_pseudo_header', [...get, ':method', 'POST']],
      ['malformed_pseudo_header', [...get, ':path', '/x']],
      ['malformed_pseudo_header', [...get, ':authority', 'a.example']],
      ['malformed_pseudo_header', [...get, ':scheme', 'https']],
      ['malformed_pseudo_header', [...get, ':status', '200']],
      ['malformed_pseudo_header', [...get, ':x', '1']],
      ['malformed_pseudo_header', [...get, ':', '1']],
      ['malformed_pseudo_header', [...get, 'x-a', '1', ':path', '/x']],
      ['malformed_pseudo_header', pseudo({ ':protocol': 'websocket' })],
      ['malformed_pseudo_header', pseudo({ ':method': 'CONNECT' })],
      ['malformed_pseudo_header', pseudo({ ':method': 'CONNECT', ':protocol': 'a b' })],
      [
        'malformed_pseudo_header',
        pseudo({ ':method': 'CONNECT', ':protocol': 'websocket', ':path': undefined }),
      ],
      [
        'malformed_pseudo_header',
        pseudo({ ':method': 'CONNECT', ':protocol': 'websocket', ':authority': undefined }),
      ],
      ['malformed_pseudo_header', [':method', 'CONNECT']],
      ['malformed_target', [':method', 'CONNECT', ':authority', 'a']],
      ['body_not_allowed', [...connect, 'content-length', '5'], false],
      ['connection_specific_field', [...get, 'connection', 'close']],
      ['connection_specific_field', [...get, 'keep-alive', '1']],
      ['connection_specific_field', [...get, 'proxy-connection', 'close']],
      ['connection_specific_field', [...get, 'transfer-encoding', 'chunked']],
      ['connection_specific_field', [...get, 'upgrade', 'h2c']],
      ['connection_specific_field', [...get, 'te', 'gzip']],
      ['connection_specific_field', [...get, 'te', 'trailers, gzip']],
      ['malformed_field_name', [...get, 'X-A', '1']],
      ['malformed_field_name', [...get, 'Host', 'a.example']],
      ['malformed_field_name', [...get, 'Transfer-Encoding', 'chunked']],
      ['malformed_field_name', [...get, 'x a', '1']],
      ['malformed_field_name', [...get, 'x-a\r\nhost', '1']],
      ['malformed_field_name', [...get, '', '1']],
      ['malformed_field_value', [...get, 'x-a', '1\r\n\r\nGET / HTTP/1.1']],
      ['malformed_field_value', [...get, 'x-a', 'a\u0000']],
      ['malformed_field_value', [...get, 'x-a', ' a']],
      ['malformed_field_value', [...get, 'x-a', 'a\t']],
      ['malformed_content_length', [...get, 'content-length', '+5'], false],
      ['ambiguous_framing', [...get, 'content-length', '5', 'content-length', '5'], false],
      ['ambiguous_framing', [...get, 'content_length', '5'], false],
      ['content_length_mismatch', [...get, 'content-length', '5'], true],
      ['forbidden_trailer', [...get, 'trailer', 'content-length'], false],
      ['unsupported_expectation', [...get, 'expect', 'x'], false],
    ]
    assert.deepEqual(
      table.map(([, raw, endStream]) => verdict(raw, endStream)),
      table.map(([code]) => code),
    )
  })

  await t.test('never throws, and passes only valid fields on', () => {
    const name = fc.constantFrom(
      ':method',
      ':path',
      ':authority',
      ':scheme',
      ':protocol',
      'host',
      'cookie',
      'te',
      'x-a',
      'X-A',
      'connection',
      '',
    )
    const value = fc.oneof(
      fc.constantFrom('GET', 'CONNECT', '/', 'https', 'a', 'trailers'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    const pair = fc.tuple(name, value)
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 6 }), fc.boolean(), fc.boolean(), (pairs, usual, endStream) => {
        const head = readH2RequestHead([...(usual ? get : []), ...pairs.flat()], endStream)
        if ('refused' in head) return
        for (const part of head.headers) assert.doesNotMatch(part, /[^\t\x20-\x7e\x80-\xff]/)
        assert.equal(head.headers.filter((part, i) => i % 2 === 0 && part === 'host').length, 1)
        assert.ok(!head.headers.some((part, i) => i % 2 === 0 && part.startsWith(':')))
      }),
      { numRuns: 3000 },
    )
  })
})
