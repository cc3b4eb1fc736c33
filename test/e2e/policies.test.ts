import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest, type RequestParts } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

/** Routes by the first segment of the path. */
const route = (name: string, policies: string, backend?: string): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: ${policies}
    ${backend === undefined ? '' : `backends: [${backend}]`}`

const configuration = (host: string): string => {
  const upstream = `{ host: "${host}" }`
  const named = `{ host: "${host.replace('127.0.0.1', 'localhost')}" }`
  return `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  shaped:
    port: 0
    address: 127.0.0.1
    cors: { allowOrigins: ["https://app.example"] }
    transformations:
      request: { set: { x-gateway: "'in ' + request.path" } }
      response: { set: { x-gateway: "'out ' + string(response.code)" } }
routes:
${route('headers', '{ requestHeaderModifier: { add: { X-Many: two }, set: { x-one: new, x-none: made }, remove: [X-Gone] }, responseHeaderModifier: { add: { set-cookie: "b=2" }, set: { server: ours }, remove: [X-Powered-By] } }', upstream)}
${route('host', '{ requestHeaderModifier: { set: { host: "inner.example:81" } } }', upstream)}
${route('both', '{ requestHeaderModifier: { add: { x-who: route } }, responseHeaderModifier: { add: { x-who: route } } }', `{ host: "${host}", policies: { requestHeaderModifier: { add: { x-who: backend } }, responseHeaderModifier: { add: { x-who: backend } } } }`)}
${route('to-full', '{ urlRewrite: { path: { full: /whole }, authority: { full: "new.example:8080" } } }', upstream)}
${route('to-prefix', '{ urlRewrite: { path: { prefix: /new }, authority: { host: new.example } } }', upstream)}
${route('to-root', '{ urlRewrite: { path: { prefix: / } } }', upstream)}
${route('to-nothing', '{ urlRewrite: { path: { prefix: "" }, authority: { port: 81 } } }', upstream)}
${route('address', '{}', upstream)}
${route('named', '{}', named)}
${route('auto', '{ urlRewrite: { authority: auto } }', named)}
${route('kept-name', '{ urlRewrite: { authority: none } }', named)}
${route('other-name', '{ urlRewrite: { authority: { full: inner.example } } }', named)}
${route('go', '{ requestRedirect: { scheme: https } }')}
${route('go-full', '{ requestRedirect: { authority: { full: "other.example:80" }, path: { full: /there }, status: 308 } }')}
${route('go-prefix', '{ requestRedirect: { authority: { host: other.example }, path: { prefix: /new }, status: 301 } }')}
${route('go-port', '{ requestRedirect: { authority: { port: 8443 }, scheme: https } }')}
${route('go-default-port', '{ requestRedirect: { authority: { port: 443 }, scheme: https } }')}
${route('xf', '{ directResponse: { status: 422, body: hello }, responseHeaderModifier: { set: { x-filter: ran } }, transformations: { response: { set: { x-xfm: "string(response.code)" } } } }')}
${route('says', '{ directResponse: { status: 201, bodyExpression: "\'hello \' + request.path", headers: { x-cel: "request.method" } } }')}
${route('repeats', '{ directResponse: { status: 200, bodyExpression: "request.body" } }')}
${route('broken-body', '{ directResponse: { status: 200, bodyExpression: "json(request.body).a" } }')}
${route('depends', `{ directResponse: { conditional: [{ condition: "request.method == 'POST'", status: 201, body: posted }, { condition: "request.headers['x-a'] == '1'", status: 202, body: one }, { status: 203, body: otherwise }] } }`)}
${route('perhaps', `{ directResponse: { conditional: [{ condition: "request.method == 'POST'", status: 201, body: posted }] } }`, upstream)}
${route('changed', `{ transformations: { request: { add: { x-list: "'b'" }, set: { ":path": "'/elsewhere?' + request.method", ":method": "'PUT'", x-ip: "source.address", x-bad: "nope.missing" }, remove: [x-gone], body: "'<' + string(request.body) + '>'", metadata: { who: "'me'" } }, response: { set: { ":status": "202", x-who: "metadata.who" }, body: "'short'" } } }`.replace('nope.missing', "request.headers['absent'] + 1"), upstream)}
${route('replaced', `{ transformations: { request: { replace: "{'x-only': 'this', 'x-twice': ['a', 'b']}" } } }`, upstream)}
${route('late', '{ delay: { duration: 30ms }, directResponse: { status: 200, body: late } }')}
${route('late-by', `{ delay: { duration: "30" }, directResponse: { status: 200, body: late } }`)}
${route('plain', '{}', upstream)}
  - name: shaped
    gateways: shaped
    matches: [{ path: { exact: /there } }]
    backends: [${upstream}]
`
}

interface Seen {
  readonly status: number
  readonly text?: string
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>
}

suite('policies of a route', () => {
  let daemon: Daemon
  let upstream: EchoUpstream
  before(async () => {
    upstream = await startEcho('upstream')
    upstream.headers = { 'x-powered-by': 'node', 'set-cookie': 'a=1', server: 'theirs' }
    daemon = await startDaemon(configuration(upstream.host))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await upstream[Symbol.asyncDispose]()
  })

  const get = (target: string, asked: RequestParts = {}, gateway = 'default') =>
    sendRequest(daemon.url(gateway), target, {
      ...asked,
      headers: { host: 'shop.example:8080', ...asked.headers },
    })

  const answers: Readonly<Record<string, readonly [target: string, asked: RequestParts, seen: Seen]>> = {
    'redirect without the port of the other scheme': [
      '/go/a?b=c',
      {},
      { status: 302, text: '', headers: { location: 'https://shop.example/go/a?b=c' } },
    ],
    'redirect without default ports, and with the query': [
      '/go-full/x?q=1',
      {},
      { status: 308, headers: { location: 'http://other.example/there?q=1' } },
    ],
    'redirect with a replaced prefix and the same port': [
      '/go-prefix/x?q=1',
      {},
      { status: 301, headers: { location: 'http://other.example:8080/new/x?q=1' } },
    ],
    'redirect to another port': [
      '/go-port',
      {},
      { status: 302, headers: { location: 'https://shop.example:8443/go-port' } },
    ],
    'redirect to the default port': [
      '/go-default-port',
      {},
      { status: 302, headers: { location: 'https://shop.example/go-default-port' } },
    ],
    'apply response policies to direct responses': [
      '/xf',
      {},
      { status: 422, text: 'hello', headers: { 'x-filter': 'ran', 'x-xfm': '422' } },
    ],
    'reply with a body by expression': [
      '/says/p',
      {},
      { status: 201, text: 'hello /says/p', headers: { 'x-cel': 'GET' } },
    ],
    'reply with the body of the request': [
      '/repeats',
      { method: 'POST', body: 'echo me' },
      { status: 200, text: 'echo me' },
    ],
    'reply with 400 if the body cannot be evaluated': [
      '/broken-body',
      { method: 'POST', body: '{' },
      { status: 400 },
    ],
    'reply by the first condition that holds': [
      '/depends',
      { method: 'POST' },
      { status: 201, text: 'posted' },
    ],
    'reply by a further condition': ['/depends', { headers: { 'x-a': '1' } }, { status: 202, text: 'one' }],
    'reply without a condition that holds': ['/depends', {}, { status: 203, text: 'otherwise' }],
    'reply by the one condition that holds': [
      '/perhaps',
      { method: 'POST' },
      { status: 201, text: 'posted' },
    ],
    'transform a response to another length': [
      '/changed',
      { method: 'POST', body: 'b' },
      { status: 202, text: 'short', headers: { 'content-length': '5', 'x-who': 'me' } },
    ],
  }
  for (const [name, [target, asked, seen]] of Object.entries(answers))
    test(name, async () => {
      const { status, headers, text } = await get(target, asked)
      const shown = Object.fromEntries(
        Object.keys(seen.headers ?? {}).map((field) => [field, headers[field]]),
      )
      assert.deepEqual(
        { status, text: seen.text ?? text, headers: shown },
        { status: seen.status, text, headers: seen.headers ?? {} },
      )
      assert.equal(text, seen.text ?? text)
    })

  test('add, set and remove request headers', async () => {
    const { headers } = echoed(
      await get('/headers', { headers: { 'x-many': 'one', 'x-one': ['a', 'b'], 'x-gone': 'x' } }),
    )
    assert.deepEqual(
      [headers['x-many'], headers['x-one'], headers['x-none'], headers['x-gone']],
      ['one, two', 'new', 'made', undefined],
    )
  })

  test('add, set and remove response headers', async () => {
    const { headers } = await get('/headers')
    assert.deepEqual(
      [headers['set-cookie'], headers.server, headers['x-powered-by']],
      [['a=1', 'b=2'], 'ours', undefined],
    )
  })

  test('can set the host as a header', async () => {
    assert.equal(echoed(await get('/host')).headers.host, 'inner.example:81')
  })

  test('combine the modifiers of route and backend', async () => {
    const answer = await get('/both')
    assert.deepEqual(
      [echoed(answer).headers['x-who'], answer.headers['x-who']],
      ['route, backend', 'backend, route'],
    )
  })

  const rewrites: Readonly<Record<string, readonly [target: string, host: string]>> = {
    '/to-full/x?a=b': ['/whole?a=b', 'new.example:8080'],
    '/to-prefix/x?a=b': ['/new/x?a=b', 'new.example:8080'],
    '/to-prefix': ['/new', 'new.example:8080'],
    '/to-root/x': ['/x', ''],
    '/to-root': ['/', ''],
    '/to-root/': ['/', ''],
    '/to-nothing/x': ['/x', 'shop.example:81'],
    '/to-nothing': ['/', 'shop.example:81'],
  }
  for (const [from, [to, host]] of Object.entries(rewrites))
    test(`rewrite ${from} to ${to}`, async () => {
      const { target, headers } = echoed(await get(from))
      assert.deepEqual([target, host === '' ? host : headers.host], [to, host])
    })

  const called: Readonly<Record<string, string>> = {
    '/address': 'shop.example:8080',
    '/named': 'localhost:PORT',
    '/auto': 'localhost:PORT',
    '/kept-name': 'shop.example:8080',
    '/other-name': 'inner.example',
  }
  for (const [path, host] of Object.entries(called))
    test(`for ${path} send the host ${host} upstream`, async () => {
      assert.equal(echoed(await get(path)).headers.host, host.replace('PORT', String(upstream.port)))
    })

  test('transform requests by expressions', async () => {
    const asked = { method: 'POST', body: 'b', headers: { 'x-list': 'a', 'x-gone': '1', 'x-bad': '1' } }
    await get('/changed', asked)
    const seen = upstream.asked.at(-1)
    assert.deepEqual(
      [seen?.method, seen?.target, seen?.body, seen?.headers['x-list'], seen?.headers['x-ip']],
      ['PUT', '/elsewhere?POST', '<b>', 'a, b', '127.0.0.1'],
    )
    assert.deepEqual([seen?.headers['x-gone'], seen?.headers['x-bad']], [undefined, undefined])
  })

  test('can replace all headers of a request by a map', async () => {
    const { headers } = echoed(await get('/replaced', { headers: { 'x-other': '1', accept: 'text/plain' } }))
    assert.deepEqual(
      [headers['x-only'], headers['x-twice'], headers['x-other'], headers.accept],
      ['this', 'a, b', undefined, undefined],
    )
  })

  for (const path of ['/late', '/late-by'])
    test(`for ${path} delay the request`, async () => {
      const began = performance.now()
      assert.equal((await get(path)).text, 'late')
      assert.ok(performance.now() - began >= 25)
    })

  test('do not apply if no condition holds', async () => {
    assert.equal(echoed(await get('/perhaps')).name, 'upstream')
  })

  test('of a gateway apply to requests without a route as well', async () => {
    const lost = await get('/nowhere', { headers: { origin: 'https://app.example' } }, 'shaped')
    assert.deepEqual(
      [lost.status, lost.headers['access-control-allow-origin'], lost.headers['x-gateway']],
      [404, 'https://app.example', 'out 404'],
    )
    const preflight = await get(
      '/nowhere',
      { method: 'OPTIONS', headers: { origin: 'https://app.example' } },
      'shaped',
    )
    assert.equal(preflight.status, 200)
    assert.equal(echoed(await get('/there', {}, 'shaped')).headers['x-gateway'], 'in /there')
  })
})
