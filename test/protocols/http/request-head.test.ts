import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { headRefusals } from '../../../src/protocols/http/head-error.ts'
import { type RequestHead, readRequestHead } from '../../../src/protocols/http/request-head.ts'

const host = ['Host', 'a.example']

/** The code of the refusal, or `ok`. */
const verdict = (method: string, target: string, rawHeaders: readonly string[], version = '1.1') => {
  const head = readRequestHead(method, target, version, rawHeaders)
  return 'refused' in head ? head.refused : 'ok'
}

const accepted = (
  method: string,
  target: string,
  rawHeaders: readonly string[],
  version = '1.1',
): RequestHead => {
  const head = readRequestHead(method, target, version, rawHeaders)
  if ('refused' in head) assert.fail(head.refused)
  return head
}

test('readRequestHead', async (t) => {
  await t.test('keeps end-to-end fields in order, with lower-case names and repeats', () => {
    const head = accepted('GET', '/a?b', [
      ...[
        'X-B',
        '1',
        'Host',
        'A.Example.:80',
        'x-a',
        '2',
        'X-B',
        '3',
        'COOKIE',
        'c=1',
        'ACCEPT',
        '*/*',
        'X-Latin',
        '\u00e9',
      ],
    ])
    assert.deepEqual(head.headers, [
      ...[
        'x-b',
        '1',
        'host',
        'a.example:80',
        'x-a',
        '2',
        'x-b',
        '3',
        'cookie',
        'c=1',
        'accept',
        '*/*',
        'x-latin',
        '\u00e9',
      ],
    ])
    assert.deepEqual(
      [head.method, head.host, head.port, head.authority, head.path, head.query, head.target, head.scheme],
      ['GET', 'a.example', 80, 'a.example:80', '/a', '?b', '/a?b', undefined],
    )
    assert.deepEqual(
      [head.hasBody, head.contentLength, head.chunked, head.upgrade],
      [false, undefined, false, undefined],
    )
  })

  await t.test('removes hop-by-hop fields', () => {
    const head = accepted('GET', '/', [
      ...[
        ...host,
        'Connection',
        'keep-alive, X-Gone',
        'Keep-Alive',
        'timeout=5',
        'Proxy-Connection',
        'close',
      ],
      ...[
        'X-GONE',
        '1',
        'TE',
        'gzip;q=0.5, Trailers',
        'TE',
        'trailers',
        'Proxy-Authenticate',
        'Basic',
        'HTTP2-Settings',
        'AA',
      ],
      ...['Proxy-Authorization', 'Basic eDp5', 'Upgrade', 'h2c', 'X-Te', 'te', 'Connection', 'x-absent'],
    ])
    assert.deepEqual(head.headers, [
      ...['host', 'a.example', 'te', 'trailers', 'proxy-authorization', 'Basic eDp5', 'x-te', 'te'],
    ])
    assert.deepEqual(head.connectionOptions, ['keep-alive', 'x-gone', 'x-absent'])
    assert.equal(head.upgrade, undefined, 'an upgrade that Connection does not mention is none')
  })

  await t.test('removes a field that Connection lists after it, and one in another case', () => {
    const head = accepted('GET', '/', [
      'x-One',
      '1',
      ...host,
      'cOnNeCtIoN',
      'X-ONE',
      'tRaNsFeR-eNcOdInG',
      'chunked',
    ])
    assert.deepEqual(head.headers, ['host', 'a.example'])
    assert.ok(head.chunked && head.hasBody)
  })

  await t.test('combines several Connection fields', () => {
    const head = accepted('GET', '/', [...host, 'Connection', 'x-gone', 'Connection', 'close', 'X-Gone', '1'])
    assert.deepEqual(
      [head.headers, head.connectionOptions],
      [
        ['host', 'a.example'],
        ['x-gone', 'close'],
      ],
    )
  })

  await t.test('drops TE that only lists codings', () => {
    assert.deepEqual(accepted('GET', '/', [...host, 'TE', 'gzip, deflate']).headers, ['host', 'a.example'])
  })

  await t.test('reads length, coding, trailers and expectation', () => {
    const sized = accepted('POST', '/', [...host, 'Content-Length', '12', 'Expect', '100-Continue'])
    assert.deepEqual([sized.contentLength, sized.hasBody, sized.expectsContinue], [12, true, true])
    assert.deepEqual(sized.headers, ['host', 'a.example', 'content-length', '12'])

    const chunked = accepted('GET', '/', [
      ...host,
      'Transfer-Encoding',
      'Chunked',
      'Trailer',
      'X-Sum, X-Md5',
      'Trailer',
      'x-c',
    ])
    assert.deepEqual([chunked.chunked, chunked.hasBody, chunked.contentLength], [true, true, undefined])
    assert.deepEqual(chunked.trailerNames, ['x-sum', 'x-md5', 'x-c'])
    assert.deepEqual(chunked.headers, ['host', 'a.example'])

    const empty = accepted('POST', '/', [...host, 'Content-Length', '0', 'Expect', '100-continue'])
    assert.deepEqual([empty.contentLength, empty.hasBody, empty.expectsContinue], [0, false, false])

    const old = accepted('POST', '/', [...host, 'Content-Length', '1', 'Expect', '100-continue'], '1.0')
    assert.equal(old.expectsContinue, false)
  })

  await t.test('reads an upgrade that Connection lists, on HTTP/1.1 only', () => {
    const asked = [
      ...host,
      'Connection',
      'keep-alive, Upgrade',
      'Upgrade',
      'WebSocket',
      'Sec-WebSocket-Key',
      'k',
    ]
    const head = accepted('GET', '/', asked)
    assert.equal(head.upgrade, 'websocket')
    assert.deepEqual(head.headers, ['host', 'a.example', 'sec-websocket-key', 'k'])
    assert.equal(accepted('GET', '/', asked, '1.0').upgrade, undefined)
    assert.equal(accepted('GET', '/', [...asked, 'Upgrade', 'h2c']).upgrade, 'websocket, h2c')
  })

  await t.test('reduces an absolute target that agrees with Host to its path', () => {
    const table: [string, string, string, 'http' | 'https'][] = [
      ['http://a.example/x?y', 'a.example', '/x?y', 'http'],
      ['HTTP://A.EXAMPLE:80/x', 'a.example', '/x', 'http'],
      ['http://a.example', 'a.example:80', '/', 'http'],
      ['https://a.example.:443?y', 'a.example', '/?y', 'https'],
      ['http://[::1]:81/../x', '[0::1]:81', '/x', 'http'],
    ]
    for (const [target, name, expected, scheme] of table) {
      const head = accepted('GET', target, ['Host', name])
      assert.deepEqual([head.target, head.scheme], [expected, scheme], target)
    }
  })

  await t.test('accepts an asterisk for OPTIONS and an authority for CONNECT', () => {
    assert.equal(accepted('OPTIONS', '*', host).path, '*')
    assert.deepEqual(accepted('OPTIONS', 'http://a.example', host).target, '*')
    assert.deepEqual(accepted('OPTIONS', 'http://a.example/', host).target, '/')
    const head = accepted('CONNECT', 'B.example:443', ['Host', 'b.example'])
    assert.deepEqual(
      [head.host, head.port, head.authority, head.path],
      ['b.example', 443, 'b.example:443', ''],
    )
  })

  await t.test('applies the given path rules', () => {
    const head = readRequestHead('GET', '//a%2fb', '1.1', host, {
      encodedSlashes: 'keep',
      mergeSlashes: true,
    })
    assert.ok(!('refused' in head) && head.path === '/a%2Fb')
  })
})

test('readRequestHead refuses', async (t) => {
  const fields: [code: string, name: string, value: string][] = [
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'gzip, chunked'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'identity, chunked'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'identity'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'chunked, chunked'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'chunked;q=1'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', '"chunked"'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'xchunked'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'chunked '],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', '\u00a0chunked'],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', ''],
    ['unsupported_transfer_encoding', 'Transfer-Encoding', 'ch\u00fcnked'],
    ['malformed_field_value', 'Transfer-Encoding', '\u000bchunked'],
    ['ambiguous_framing', 'Transfer_Encoding', 'chunked'],
    ['ambiguous_framing', 'content_length', '5'],
    ['malformed_content_length', 'Content-Length', ''],
    ['malformed_content_length', 'Content-Length', '+5'],
    ['malformed_content_length', 'Content-Length', '-5'],
    ['malformed_content_length', 'Content-Length', '0x5'],
    ['malformed_content_length', 'Content-Length', '5 '],
    ['malformed_content_length', 'Content-Length', '5, 5'],
    ['malformed_content_length', 'Content-Length', '05'],
    ['malformed_content_length', 'Content-Length', '5.0'],
    ['malformed_content_length', 'Content-Length', '1e3'],
    ['malformed_content_length', 'Content-Length', '\u00b2'],
    ['malformed_content_length', 'Content-Length', '9999999999999999'],
    ['several_hosts', 'Host', 'a.example'],
    ['several_hosts', 'HOST', 'b.example'],
    ['malformed_connection', 'Connection', 'close x'],
    ['malformed_connection', 'Connection', 'a;b'],
    ['connection_names_protected_field', 'Connection', 'close, Host'],
    ['connection_names_protected_field', 'Connection', 'content-length'],
    ['connection_names_protected_field', 'Connection', 'Content-Type'],
    ['connection_names_protected_field', 'Connection', 'Authorization'],
    ['connection_names_protected_field', 'Connection', 'Cookie'],
    ['connection_names_protected_field', 'Connection', 'X-Forwarded-For'],
    ['connection_names_protected_field', 'Connection', 'x-forwarded-anything'],
    ['connection_names_protected_field', 'Connection', 'keep-alive, X-Real-IP'],
    ['unsupported_expectation', 'Expect', '200-ok'],
    ['unsupported_expectation', 'Expect', '100-continue, x'],
    ['malformed_trailer', 'Trailer', 'a b'],
    ['forbidden_trailer', 'Trailer', 'X-A, Content-Length'],
    ['forbidden_trailer', 'Trailer', 'host'],
    ['malformed_field_name', '', 'x'],
    ['malformed_field_name', 'X A', 'x'],
    ['malformed_field_name', 'Host ', 'x'],
    ['malformed_field_name', 'X-\u00e9', 'x'],
    ['malformed_field_name', 'X\u0000', 'x'],
    ['malformed_field_name', 'X:', 'x'],
    ['malformed_field_name', '(x)', 'x'],
    ['malformed_field_name', '\u212aeep-alive', 'x'],
    ['malformed_field_value', 'X', 'a\u0000b'],
    ['malformed_field_value', 'X', 'a\rb'],
    ['malformed_field_value', 'X', 'a\nb'],
    ['malformed_field_value', 'X', 'a\r\n b'],
    ['malformed_field_value', 'X', '\u007f'],
    ['malformed_field_value', 'X', '\u0100'],
    ['malformed_field_value', 'Host', 'a\u0000'],
  ]
  await t.test('ambiguous fields', () => {
    assert.deepEqual(
      fields.map(([, name, value]) => [verdict('POST', '/', [...host, name, value]), name, value]),
      fields,
    )
  })

  await t.test('repeated framing, and chunked HTTP/1.0', () => {
    const [length, coding] = [
      ['Content-Length', '5'],
      ['Transfer-Encoding', 'chunked'],
    ]
    assert.equal(verdict('POST', '/', [...host, ...length, ...coding]), 'ambiguous_framing')
    assert.equal(verdict('POST', '/', [...host, ...coding, ...length]), 'ambiguous_framing')
    assert.equal(verdict('POST', '/', [...host, ...coding, 'Content-Length', '0']), 'ambiguous_framing')
    assert.equal(verdict('POST', '/', [...host, ...length, ...length]), 'ambiguous_framing')
    assert.equal(verdict('POST', '/', [...host, ...length, 'content-length', '6']), 'ambiguous_framing')
    assert.equal(verdict('POST', '/', [...host, ...coding, ...coding]), 'ambiguous_framing')
    assert.equal(verdict('POST', '/', [...host, ...coding], '1.0'), 'transfer_encoding_in_http_1_0')
  })

  await t.test('a missing, empty or malformed host in every version', () => {
    assert.equal(verdict('GET', '/', []), 'missing_host')
    assert.equal(verdict('GET', '/', [], '1.0'), 'missing_host')
    assert.equal(verdict('GET', 'http://a.example/', []), 'missing_host')
    for (const value of ['', 'a b', 'a,b', 'user@a', 'a:0', 'a:99999', 'a/b', 'a..b', '[::1', 'a:80:80'])
      assert.equal(verdict('GET', '/', ['Host', value]), 'malformed_host', value)
  })

  await t.test('targets with an invalid form or host', () => {
    const table: [code: string, method: string, target: string, host?: string][] = [
      ['host_mismatch', 'GET', 'http://b.example/'],
      ['host_mismatch', 'GET', 'http://a.example:81/'],
      ['host_mismatch', 'GET', 'https://a.example/', 'a.example:80'],
      ['host_mismatch', 'CONNECT', 'b.example:443'],
      ['host_mismatch', 'CONNECT', 'a.example:443', 'a.example:80'],
      ['malformed_target', 'GET', 'ftp://a.example/'],
      ['malformed_target', 'GET', 'http:///'],
      ['malformed_target', 'GET', 'http://'],
      ['malformed_target', 'GET', 'http:/a.example/'],
      ['malformed_target', 'GET', 'http://user@a.example/'],
      ['malformed_target', 'GET', 'http://a.example:x/'],
      ['malformed_target', 'GET', 'http://a.example\\@b/'],
      ['malformed_target', 'GET', 'a/b'],
      ['malformed_target', 'GET', ''],
      ['malformed_target', 'GET', '?a'],
      ['malformed_target', 'GET', ' /'],
      ['malformed_target', 'CONNECT', 'a.example'],
      ['malformed_target', 'CONNECT', 'a.example:0'],
      ['malformed_target', 'CONNECT', 'u@a.example:80'],
      ['target_form_not_allowed', 'GET', '*'],
      ['target_form_not_allowed', 'GET', 'a.example:80'],
      ['target_form_not_allowed', 'CONNECT', '/'],
      ['target_form_not_allowed', 'CONNECT', '*'],
      ['target_form_not_allowed', 'CONNECT', 'http://a.example:80/'],
      ['target_fragment', 'GET', '/a#b'],
      ['target_fragment', 'GET', '/#'],
      ['target_fragment', 'GET', 'http://a.example#b'],
      ['target_control_character', 'GET', '/a b'],
      ['target_control_character', 'GET', '/a\u0000'],
      ['target_control_character', 'GET', '/%00'],
      ['target_encoded_slash', 'GET', '/a%2fb'],
      ['target_encoded_slash', 'GET', 'http://a.example/..%2f'],
      ['target_ambiguous_dot_segment', 'GET', '/a/..;/b'],
      ['malformed_target', 'OPTIONS', '**'],
    ]
    assert.deepEqual(
      table.map(([, method, target, name]) => verdict(method, target, ['Host', name ?? 'a.example'])),
      table.map(([code]) => code),
    )
  })

  await t.test('other versions and other protocols', () => {
    for (const version of ['0.9', '2.0', '1.2', '3.0', '', '1.10'])
      assert.equal(verdict('GET', '/', host, version), 'unsupported_http_version', version)
    for (const method of ['DESCRIBE', 'SETUP', 'PLAY', 'PRI'])
      assert.equal(verdict(method, '/', host), 'unsupported_method')
  })

  await t.test('a CONNECT with a body', () => {
    assert.equal(verdict('CONNECT', 'a.example:80', [...host, 'Content-Length', '5']), 'body_not_allowed')
    assert.equal(
      verdict('CONNECT', 'a.example:80', [...host, 'Transfer-Encoding', 'chunked']),
      'body_not_allowed',
    )
  })

  await t.test('with 400, an unknown expectation with 417, and never with client text', () => {
    for (const [code, refusal] of Object.entries(headRefusals)) {
      assert.equal(refusal.refused, code)
      assert.equal(refusal.status, code === 'unsupported_expectation' ? 417 : 400)
      assert.match(refusal.message, /^[a-z"A-Z].{10,}[^.]$/)
    }
  })
})

test('an accepted request head', async (t) => {
  const usual = fc.constantFrom(
    ...[
      ['X-A', 'a'],
      ['x-b', ''],
      ['Connection', 'close, x-a'],
      ['Keep-Alive', 'x'],
      ['TE', 'trailers'],
      ['TE', 'gzip'],
    ],
    ...[
      ['Content-Length', '5'],
      ['CONTENT-LENGTH', '0'],
      ['Transfer-Encoding', 'chunked'],
      ['Trailer', 'x-b'],
      ['host', 'b'],
    ],
    ...[
      ['Upgrade', 'websocket'],
      ['Connection', 'upgrade'],
      ['Expect', '100-continue'],
      ['Cookie', 'a=b'],
      ['connection', 'host'],
    ],
  )
  const odd = fc.tuple(fc.string({ maxLength: 6 }), fc.string({ unit: 'binary', maxLength: 8 }))
  const pair = fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd })
  const fields = fc.array(pair, { maxLength: 8 }).map((pairs) => pairs.flat())
  const methods = fc.constantFrom('GET', 'POST', 'OPTIONS', 'HEAD', 'CONNECT')
  const usualTargets = fc.constantFrom('/', '/a?b', '/x/y', 'http://a/x', '*', 'a:80')
  const oddTargets = fc.string({ unit: 'binary', maxLength: 8 })
  const targets = fc.oneof({ weight: 9, arbitrary: usualTargets }, { weight: 1, arbitrary: oddTargets })
  const versions = fc.constantFrom('1.1', '1.1', '1.1', '1.0', '2.0')

  await t.test('has one host, one framing and only valid end-to-end fields; nothing throws', () => {
    let passed = 0
    fc.assert(
      fc.property(methods, targets, versions, fields, (method, target, version, raw) => {
        const head = readRequestHead(method, target, version, ['Host', 'a', ...raw])
        if ('refused' in head) return
        passed++
        const names = head.headers.filter((_, i) => i % 2 === 0)
        assert.equal(names.filter((one) => one === 'host').length, 1)
        assert.ok(names.filter((one) => one === 'content-length').length <= 1)
        assert.ok(!(head.chunked && names.includes('content-length')))
        for (const one of names) assert.match(one, /^[!#$%&'*+\-.^_`|~0-9a-z]+$/)
        for (const gone of ['connection', 'transfer-encoding', 'upgrade', 'keep-alive', 'trailer', 'expect'])
          assert.ok(!names.includes(gone), gone)
        for (const part of head.headers) assert.doesNotMatch(part, /[^\t\x20-\x7e\x80-\xff]/)
        assert.match(head.target, /^(\/.*|\*|a:80)$/)
      }),
      { numRuns: 5000 },
    )
    assert.ok(passed > 200, `only ${passed} of 5000`)
  })
})
