import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hideSecrets,
  hideSecretsInJson,
  redactQuery,
  redactText,
  redactUrl,
  Redaction,
} from '../../../src/model/trace/redact.ts'
import { redactValue } from '../../../src/model/trace/redact-value.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

test('sensitive header fields', async (t) => {
  const redaction = new Redaction(['X-Badge'])
  const sensitive = [
    ...[
      'authorization',
      'proxy-authorization',
      'x-forwarded-authorization',
      'cookie',
      'set-cookie',
      'x-api-key',
    ],
    ...['api-key', 'x-goog-api-key', 'apikey', 'x-auth-token', 'x-auth', 'private-token', 'x-vault-token'],
    ...['x-amz-security-token', 'x-goog-iap-jwt-assertion', 'cf-access-jwt-assertion', 'x-csrf-token'],
    ...['x-upstream-key', 'x_shop_key'],
    ...['ocp-apim-subscription-key', 'x-functions-key', 'x-hub-signature', 'client-secret', 'x-badge'],
    'mcp-session-id',
    'agentgateway-passed-on',
  ]
  for (const name of sensitive)
    await t.test(`include ${name}`, () => {
      assert.equal(redaction.header(name, 'SECRET'), '<redacted>')
    })

  const plain = [
    ...['accept', 'host', 'content-type', 'www-authenticate', 'etag', 'x-request-id', 'traceparent', 'vary'],
    ...[
      'anthropic-ratelimit-tokens-remaining',
      'x-max-tokens',
      'idempotency-key',
      'sec-websocket-key',
      'x-cache-key',
      'x-keyboard',
    ],
  ]
  for (const name of plain)
    await t.test(`do not include ${name}`, () => {
      assert.equal(redaction.header(name, 'value'), 'value')
    })

  await t.test('may have any name if they contain a JSON Web Token', () => {
    const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln'
    assert.equal(redaction.header('x-passport', `Pass ${token}; v=1`), 'Pass <redacted>; v=1')
    assert.equal(redaction.header('x-passport', 'eyJ is how they begin'), 'eyJ is how they begin')
  })

  await t.test('are cached in bounded memory', () => {
    for (let i = 0; i < 5_000; i++) redaction.isSensitive(`x-${i}-token`)
    assert.equal(redaction.isSensitive('x-4999-token'), true)
    assert.equal(redaction.isSensitive('x-4999'), false)
  })

  await t.test('provide secrets to redact elsewhere, except short ones', () => {
    const raw = [
      'authorization',
      'Bearer abc.def.ghi',
      'accept',
      '*/*',
      'x-api-key',
      'k',
      'x-badge',
      '123456',
    ]
    assert.deepEqual(redaction.secrets(raw), ['abc.def.ghi', '123456'])
    assert.equal(
      hideSecrets('got abc.def.ghi and 123456', redaction.secrets(raw)),
      'got <redacted> and <redacted>',
    )
  })
})

test('secrets in JSON', async (t) => {
  const value = { a: 'say "hunter22" \\', hunter22: null, b: ['x hunter22 y', 1], 'c:null,': true }
  const hidden = (secret: string) => JSON.parse(hideSecretsInJson(JSON.stringify(value), [secret])) as unknown

  await t.test('are redacted inside of texts', () => {
    assert.deepEqual(hidden('hunter22'), {
      a: 'say "<redacted>" \\',
      '<redacted>': null,
      b: ['x <redacted> y', 1],
      'c:null,': true,
    })
    assert.deepEqual(hidden('"hunter22" \\'), { ...value, a: 'say <redacted>' })
  })

  // Clients choose the values of their credentials.
  for (const secret of [':null,', '","b":["', '"hunter22":', ',"b":[', '\\",', 'null,"b"'])
    await t.test(`do not affect other text: ${secret}`, () => {
      assert.doesNotThrow(() => hidden(secret))
      assert.deepEqual(Object.keys(hidden(secret) as object).length, 4)
    })
})

test('redacted queries', async (t) => {
  const cases: Readonly<Record<string, string>> = {
    '': '',
    '?': '?',
    '?page=2': '?page=2',
    '?key=a': '?key=<redacted>',
    '?a=1&api_key=x&b=2': '?a=1&api_key=<redacted>&b=2',
    '?access_token=x': '?access_token=<redacted>',
    '?accessToken=x;b=1': '?accessToken=<redacted>;b=1',
    '?TOKEN=x&Password=y': '?TOKEN=<redacted>&Password=<redacted>',
    '?%74oken=x': '?%74oken=<redacted>',
    '?token[]=x&token[0]=y': '?token[]=<redacted>&token[0]=<redacted>',
    '?token=a=b': '?token=<redacted>',
    '?token=': '?token=',
    '?token': '?token',
    '?a?token=x': '?a?token=<redacted>',
    '?X-Amz-Signature=x&X-Amz-Date=1': '?X-Amz-Signature=<redacted>&X-Amz-Date=1',
    '?code=x&state=1&id_token=y': '?code=<redacted>&state=1&id_token=<redacted>',
    '?max_tokens=5&keyword=a&country_code=de': '?max_tokens=5&keyword=a&country_code=de',
    '?%zz=1&secret=x': '?%zz=1&secret=<redacted>',
    '#access_token=x': '#access_token=<redacted>',
    '?url=http://u:p@h/&id=a@b': '?url=http://<redacted>@h/&id=a@b',
    '?url=http%3A%2F%2Fu%3Ap%40h%2Fx%40y': '?url=http%3A%2F%2F<redacted>%40h%2Fx%40y',
    '?x=//a&y=b@c': '?x=//a&y=b@c',
    '?t=eyJhbGciOiJSUzI1NiJ9.e30.AAAA&a=1': '?t=<redacted>&a=1',
  }
  for (const [query, shown] of Object.entries(cases))
    await t.test(`of ${query || '(none)'} are ${shown || '(none)'}`, () => {
      assert.equal(redactQuery(query), shown)
    })
})

test('redacting takes time in proportion to the text', () => {
  const size = 200_000
  const hostile = [
    '&',
    '=',
    'a',
    '?',
    '#',
    '/',
    '//',
    '@',
    'a=',
    '&a',
    'bearer ',
    'a@',
    '%74',
    ';=',
    '%2f',
    '%2f%2fa',
    '%40',
  ]
  const redaction = new Redaction()
  for (const part of hostile) {
    const text = `?${part.repeat(size / part.length)}`
    const began = cpuTimeMs()
    redactQuery(text)
    redactUrl(text)
    redactText(text)
    redactValue(text, redaction)
    const tookMs = cpuTimeMs() - began
    assert.ok(tookMs < 1_000, `${JSON.stringify(part)} took ${tookMs} ms`)
  }
})

test('redacted addresses and texts', async (t) => {
  await t.test('lose user information and secrets in query and fragment', () => {
    assert.equal(
      redactUrl('https://me:pw@a.test:8/x@y?a=1&token=s#id_token=t'),
      'https://<redacted>@a.test:8/x@y?a=1&token=<redacted>#id_token=<redacted>',
    )
    assert.equal(redactUrl('/plain/path'), '/plain/path')
  })

  await t.test('lose the credentials after the name of an authentication scheme', () => {
    assert.equal(
      redactText('sent "Authorization: Bearer abcd.efgh" to http://u:p@a.test/?key=1, basic dXNlcjpwYXNz'),
      'sent "Authorization: Bearer <redacted>" to http://<redacted>@a.test/?key=<redacted> basic <redacted>',
    )
    for (const plain of [
      'basic authentication failure: no user',
      'a bearer token is missing',
      'token expired',
    ])
      assert.equal(redactText(plain), plain)
  })
})

test('redacted plain data', async (t) => {
  const redaction = new Redaction()
  await t.test('has no members with names of credentials, and keeps the rest', () => {
    assert.deepEqual(
      redactValue(
        {
          key: 'bind/3000',
          apiKey: 'x',
          clientSecret: 'x',
          tokens: 5,
          token: { nested: 'kept, it is no text itself' },
          headers: new Map([['cookie', 'x']]),
          big: 5n,
          none: null,
        },
        redaction,
      ),
      {
        key: 'bind/3000',
        apiKey: '<redacted>',
        clientSecret: '<redacted>',
        tokens: 5,
        token: { nested: 'kept, it is no text itself' },
        headers: { cookie: '<redacted>' },
        big: '5',
        none: null,
      },
    )
  })

  await t.test('is a copy', () => {
    const value = { set: [['authorization', 'x']] }
    assert.deepEqual(redactValue(value, redaction), { set: [['authorization', '<redacted>']] })
    assert.deepEqual(value, { set: [['authorization', 'x']] })
  })
})
