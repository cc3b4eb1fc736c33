import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { type HttpProxy, startProxy } from '../support/http-proxy.ts'
import { ownNames } from '../support/resolver-names.ts'
import { httpServer, listening, type UpstreamServer } from '../support/upstream-servers.ts'

const PROXY_SECRET = 'pr0xy-s3cret'
const PROVIDER_SECRET = 'pr0vider-s3cret'

suite('the proxy of a tunnel', () => {
  const authority = makeAuthority()
  const names = ownNames({ 'proxy.example': ['127.0.0.2', '127.0.0.1'] })
  const stack = new AsyncDisposableStack()
  const asked: { url: string; key: unknown; credential: unknown; host: unknown }[] = []
  let named: HttpProxy
  let guarded: HttpProxy
  let plain: UpstreamServer
  let tls: UpstreamServer
  let provider: UpstreamServer
  let daemon: Daemon

  const model: RequestListener = (req, res) => {
    const { host, authorization, 'x-api-key': key, 'proxy-authorization': credential } = req.headers
    asked.push({ url: req.url ?? '', key: authorization ?? key, credential, host })
    req.resume().on('end', () => {
      res.setHeader('content-type', 'application/json')
      res.end(
        JSON.stringify(
          req.url?.endsWith('/messages')
            ? {
                id: 'a',
                type: 'message',
                role: 'assistant',
                model: 'm',
                content: [{ type: 'text', text: 'hi' }],
                stop_reason: 'end_turn',
                usage: { input_tokens: 1, output_tokens: 1 },
              }
            : {
                id: 'a',
                object: 'chat.completion',
                created: 1,
                model: 'm',
                choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
                usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
              },
        ),
      )
    })
  }

  before(async () => {
    const certificate = authority.issue('up.example')
    named = stack.use(await startProxy())
    guarded = stack.use(await startProxy(authority.issue('guarded.example')))
    guarded.credential = `Bearer ${PROXY_SECRET}`
    plain = stack.use(await httpServer((_, res) => res.end('plain')))
    tls = stack.use(await listening(createHttpsServer(certificate, (_, res) => res.end('tls'))))
    provider = stack.use(await listening(createHttpsServer(certificate, model)))
    const trust = `backendTLS: { root: ${authority.certFile} }`
    const byService = 'backendTunnel: { proxy: { service: { name: default/guarded.example, port: 80 } } }'
    const byName = `backendTunnel: { proxy: { host: "proxy.example:${named.port}" } }`
    const route = (name: string, host: string, policies: string) =>
      `  - { name: ${name}, matches: [{ path: { pathPrefix: /${name} } }], backends: [{ host: "${host}", policies: { ${policies} } }] }`
    const member = (name: string, kind: string) =>
      `{ name: ${name}, hostOverride: "up.example:${provider.port}", provider: { ${kind}: { model: m } }, policies: { backendAuth: { key: ${PROVIDER_SECRET} } } }`
    daemon = stack.use(
      await startDaemon(
        `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
services:
  - { name: guarded, namespace: default, hostname: guarded.example, vips: [], ports: { 80: ${guarded.port} } }
workloads:
  - { uid: a, name: a, namespace: default, workloadIps: [127.0.0.2], services: { default/guarded.example: { 80: ${guarded.port} } } }
  - { uid: b, name: b, namespace: default, workloadIps: [127.0.0.1], services: { default/guarded.example: { 80: ${guarded.port} } } }
policies:
  - { name: { name: t }, target: { backend: { service: { namespace: default, hostname: guarded.example } } }, policy: { ${trust} } }
  - { name: { name: a }, target: { backend: { service: { namespace: default, hostname: guarded.example } } }, policy: { backendAuth: { key: ${PROXY_SECRET} } } }
routes:
${route('named-plain', `up.example:${plain.port}`, byName)}
${route('named-tls', `up.example:${tls.port}`, `${trust}, ${byName}`)}
${route('service-plain', `up.example:${plain.port}`, byService)}
${route('service-tls', `up.example:${tls.port}`, `${trust}, ${byService}`)}
  - name: models
    matches: [{ path: { pathPrefix: /openai } }]
    policies: { urlRewrite: { path: { full: /v1/chat/completions } } }
    backends: [{ ai: { groups: [{ providers: [${member('o', 'openAI')}] }] }, policies: { ${trust}, ${byService} } }]
  - name: messages
    matches: [{ path: { pathPrefix: /anthropic } }]
    policies: { urlRewrite: { path: { full: /v1/chat/completions } } }
    backends: [{ ai: { groups: [{ providers: [${member('a', 'anthropic')}] }] }, policies: { ${trust}, ${byService} } }]
`,
        names.options,
      ),
    )
  })
  after(async () => {
    await stack.disposeAsync()
    names[Symbol.dispose]()
    authority[Symbol.dispose]()
  })

  test('can have a name with several addresses, some of which are down', async () => {
    for (const what of ['plain', 'tls', 'plain', 'tls'])
      assert.equal((await sendRequest(daemon.url('default'), `/named-${what}`)).text, what, daemon.output())
    assert.deepEqual(
      new Set(named.lines),
      new Set([`GET http://up.example:${plain.port}/named-plain`, `CONNECT up.example:${tls.port}`]),
    )
  })

  test('can be a service, with its attached policies', async () => {
    for (const what of ['plain', 'tls'])
      assert.equal((await sendRequest(daemon.url('default'), `/service-${what}`)).text, what, daemon.output())
    assert.deepEqual(
      guarded.said.map(({ credential }) => credential),
      [guarded.credential, guarded.credential],
    )
  })

  for (const [name, path, key] of [
    ['openai', '/v1/chat/completions', `Bearer ${PROVIDER_SECRET}`],
    ['anthropic', '/v1/messages', PROVIDER_SECRET],
  ] as const)
    test(`does not get the key of a provider, nor the provider that of the proxy: ${name}`, async () => {
      const { status, text } = await sendRequest(daemon.url('default'), `/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'proxy-authorization': 'Basic of-the-client' },
        body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
      })
      assert.equal(status, 200, `${text}\n${daemon.output()}`)
      assert.equal((JSON.parse(text) as { object: string }).object, 'chat.completion')
      assert.deepEqual(asked.at(-1), {
        url: path,
        key,
        credential: undefined,
        host: `up.example:${provider.port}`,
      })
      assert.equal(guarded.lines.at(-1), `CONNECT up.example:${provider.port}`)
      assert.equal(guarded.said.at(-1)?.credential, guarded.credential)
      assert.ok(!JSON.stringify(guarded.said).includes(PROVIDER_SECRET))
    })

  test('is not the endpoint in traces and log lines, which do not contain its credential', async () => {
    for (const [name, port] of [
      ['service-plain', plain.port],
      ['service-tls', tls.port],
    ] as const) {
      const watcher = request(`${daemon.url('admin')}/debug/trace`, { agent: false }).end()
      const [res] = (await once(watcher, 'response')) as [IncomingMessage]
      const trace = (async () => {
        let received = ''
        for await (const chunk of res) received += String(chunk)
        return received
      })()
      await sendRequest(daemon.url('default'), `/${name}/seen`)
      const text = await trace
      assert.match(text, new RegExp(`"backendCallStart","target":"up\\.example:${port}"`))
      assert.ok(text.includes(`/${name}/seen`))
      const [line] = await daemon.printed(new RegExp(`.*\\trequest .*/${name}/seen.*`))
      assert.match(line, new RegExp(` endpoint=up\\.example:${port} `))
      // The trace lists the policies in effect, including the tunnel.
      assert.match(text, /backendTunnel/)
      assert.ok(!text.includes(PROXY_SECRET))
      assert.doesNotMatch(line, /guarded|s3cret/)
    }
    const metrics = await sendRequest(daemon.url('stats'), '/metrics')
    const dump = await sendRequest(daemon.url('admin'), '/config_dump')
    for (const secret of [PROXY_SECRET, PROVIDER_SECRET])
      assert.ok(![metrics.text, dump.text, daemon.output()].some((text) => text.includes(secret)), secret)
  })
})
