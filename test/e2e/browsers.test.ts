import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

const configuration = (host: string): string => `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: listed
    matches: [{ path: { exact: /listed } }]
    policies:
      cors:
        allowOrigins: ["https://app.example", "https://*.wild.example", "http://local.example:8080"]
        allowMethods: [GET, PUT]
        allowHeaders: [X-Token, Content-Type]
        exposeHeaders: [X-Id, X-Page]
        maxAge: 10m
      csrf: { additionalOrigins: ["https://app.example"] }
    backends: [{ host: "${host}" }]
  - name: any
    matches: [{ path: { exact: /any } }]
    policies: { cors: { allowOrigins: ["*"], allowMethods: ["*"], allowHeaders: ["*"] } }
    backends: [{ host: "${host}" }]
  - name: any-with-credentials
    matches: [{ path: { exact: /trusting } }]
    policies: { cors: { allowOrigins: ["*"], allowMethods: ["*"], allowHeaders: ["*"], allowCredentials: true } }
    backends: [{ host: "${host}" }]
  - name: refuses
    matches: [{ path: { exact: /refuses } }]
    policies:
      cors: { allowOrigins: ["https://app.example"] }
      csrf: {}
      responseHeaderModifier: { set: { x-policy: ran } }
    backends: [{ invalid: null }]
`

const OPTIONS = { method: 'OPTIONS' }
const from = (origin: string, more: RequestParts['headers'] = {}) => ({ headers: { origin, ...more } })
const preflight = (origin: string, more: RequestParts['headers'] = {}) => ({
  ...OPTIONS,
  ...from(origin, more),
})

/** The CORS headers of a response, without their common prefix. */
type Shared = Readonly<Record<string, string>>

const shared: Readonly<
  Record<string, readonly [target: string, asked: RequestParts, seen: Shared | undefined]>
> = {
  'a listed origin': [
    '/listed',
    from('https://app.example'),
    { 'allow-origin': 'https://app.example', 'expose-headers': 'X-Id,X-Page' },
  ],
  'an origin in capitals is echoed as it came': [
    '/listed',
    from('HTTPS://App.example'),
    { 'allow-origin': 'HTTPS://App.example', 'expose-headers': 'X-Id,X-Page' },
  ],
  'a host by wildcard': [
    '/listed',
    from('https://a.b.wild.example'),
    { 'allow-origin': 'https://a.b.wild.example', 'expose-headers': 'X-Id,X-Page' },
  ],
  'a wildcard does not take its own host': ['/listed', from('https://wild.example'), {}],
  'a wildcard ends with a label': ['/listed', from('https://notwild.example'), {}],
  'a wildcard takes no other scheme': ['/listed', from('http://a.wild.example'), {}],
  'a wildcard takes no other port': ['/listed', from('https://a.wild.example:8443'), {}],
  'a wildcard takes no user': ['/listed', from('https://evil.example/@a.wild.example'), {}],
  'another scheme': ['/listed', from('http://app.example'), {}],
  'another port': ['/listed', from('http://local.example'), {}],
  'an origin that begins like a listed one': ['/listed', from('https://app.example.evil.test'), {}],
  'a null origin': ['/listed', from('null'), {}],
  'a preflight': [
    '/listed',
    preflight('https://app.example', { 'access-control-request-method': 'PUT' }),
    {
      'allow-origin': 'https://app.example',
      'allow-methods': 'GET,PUT',
      'allow-headers': 'X-Token,Content-Type',
      'expose-headers': 'X-Id,X-Page',
      'max-age': '600',
    },
  ],
  'a preflight of another origin': ['/listed', preflight('https://evil.example'), {}],
  'a preflight where everything goes': [
    '/any',
    preflight('https://x.test', {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-a,x-b ,  x-c',
    }),
    { 'allow-origin': 'https://x.test', 'allow-methods': '*', 'allow-headers': 'x-a, x-b, x-c' },
  ],
  'a preflight where everything goes with credentials': [
    '/trusting',
    preflight('https://x.test', {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'x-a',
    }),
    {
      'allow-origin': 'https://x.test',
      'allow-methods': 'PATCH',
      'allow-headers': 'x-a',
      'allow-credentials': 'true',
    },
  ],
  'credentials beyond the preflight': [
    '/trusting',
    from('https://x.test'),
    { 'allow-origin': 'https://x.test', 'allow-credentials': 'true' },
  ],
  'no origin': ['/any', {}, {}],
}

const site = (value: string, origin?: string) => ({
  'sec-fetch-site': value,
  ...(origin === undefined ? {} : { origin }),
})
const host = 'shop.example:8080'

/** Unsafe requests to shop.example:8080, and whether they pass. */
const forgeries: Readonly<
  Record<string, readonly [passes: boolean, headers: NonNullable<RequestParts['headers']>]>
> = {
  'of the same origin, as the browser says': [true, site('same-origin', 'https://evil.example')],
  typed: [true, site('none')],
  'of the own origin': [true, { origin: 'http://shop.example:8080' }],
  'of the own origin in capitals': [true, { origin: 'http://SHOP.example:8080' }],
  'of a listed origin': [true, { origin: 'https://app.example' }],
  'of no browser': [true, {}],
  'of another origin': [false, { origin: 'https://evil.example' }],
  'of another port': [false, { origin: 'http://shop.example' }],
  'of another scheme': [false, { origin: 'https://shop.example:8080' }],
  'of an origin that begins like ours': [false, { origin: 'http://shop.example:8080.evil.example' }],
  'of a null origin': [false, { origin: 'null' }],
  'of a null origin of another site': [false, site('cross-site', 'null')],
  'of another site without an origin': [false, site('cross-site')],
  'of the same site without an origin': [false, site('same-site')],
  'of a site of a new kind': [false, site('whatever')],
  'of two origins': [false, { origin: ['https://app.example', 'https://evil.example'] }],
}

suite('requests of browsers', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  before(async () => {
    upstream = await startEcho('upstream')
    daemon = await startDaemon(configuration(upstream.host))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  for (const [name, [target, asked, seen]] of Object.entries(shared))
    test(`CORS: ${name}`, async () => {
      const { status, headers, text } = await sendRequest(daemon.url('default'), target, asked)
      const found = Object.entries(headers).flatMap(([field, value]) =>
        field.startsWith('access-control-') ? [[field.slice('access-control-'.length), value]] : [],
      )
      assert.equal(status, 200)
      assert.deepEqual(Object.fromEntries(found), seen)
      assert.equal(text === '', asked.method === 'OPTIONS')
      if (asked.method !== 'OPTIONS') assert.equal(headers.vary, 'Origin')
    })

  test('CORS: OPTIONS without an origin is forwarded', async () => {
    const { text } = await sendRequest(daemon.url('default'), '/any', OPTIONS)
    assert.match(text, /"method":"OPTIONS"/)
  })

  for (const [name, [passes, headers]] of Object.entries(forgeries))
    for (const method of ['POST', 'DELETE'])
      test(`CSRF: ${method} ${name} ${passes ? 'passes' : 'is refused'}`, async () => {
        const answer = await sendRequest(daemon.url('default'), '/listed', {
          method,
          headers: { host, ...headers },
        })
        assert.equal(answer.status, passes ? 200 : 403)
        if (!passes) assert.equal(answer.text, 'CSRF validation failed')
      })

  test('CSRF: safe methods pass', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const headers = { host, ...site('cross-site', 'https://evil.example') }
      assert.equal((await sendRequest(daemon.url('default'), '/listed', { method, headers })).status, 200)
    }
  })

  test('CORS headers and reply policies apply to refusals', async () => {
    const origin = 'https://app.example'
    const refused = await sendRequest(daemon.url('default'), '/refuses', {
      method: 'POST',
      headers: { origin },
    })
    const failed = await sendRequest(daemon.url('default'), '/refuses', { headers: { origin } })
    for (const { headers } of [refused, failed])
      assert.deepEqual(
        [headers['access-control-allow-origin'], headers['x-policy'], headers['content-type']],
        [origin, 'ran', 'text/plain'],
      )
    assert.deepEqual([refused.status, failed.status, failed.text], [403, 500, 'backend does not exist'])
  })
})
