import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'
import { parseConfig } from '../../src/config/parse.ts'

/** Routes that keep encoded slashes, beside routes with rules that must not be bypassed. */
const configuration = (host: string): string => `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
  plain: { port: 0, address: 127.0.0.1 }
  guarded:
    port: 0
    address: 127.0.0.1
    authorization: { rules: [{ deny: "request.path.contains('%2F')" }] }
routes:
  - name: gitlab
    hostnames: [git.example]
    encodedSlashes: keep
    matches: [{ path: { pathPrefix: /api/v4 } }]
    backends: [{ host: "${host}" }]
  - name: issues
    encodedSlashes: keep
    matches: [{ path: { regex: "/projects/[^/]+/issues" } }, { path: { exact: /pkg/@s%2fname } }]
    backends: [{ host: "${host}" }]
  - { name: packages, matches: [{ path: { pathPrefix: /pkg/@s } }], policies: { directResponse: { status: 403, body: refused } } }
  - { name: secret, matches: [{ path: { pathPrefix: /projects/secret } }], policies: { directResponse: { status: 403, body: refused } } }
  - name: files
    encodedSlashes: keep
    matches: [{ path: { pathPrefix: /files } }]
    backends: [{ host: "${host}" }]
  - { name: private-files, matches: [{ path: { pathPrefix: /files/private } }, { path: { regex: "/files/[a-z]+/keys" } }], policies: { directResponse: { status: 403, body: refused } } }
  - { name: method-files, matches: [{ path: { pathPrefix: /files/posted }, method: POST }], policies: { directResponse: { status: 403, body: refused } } }
  - name: moved
    encodedSlashes: keep
    matches: [{ path: { pathPrefix: /moved } }]
    policies: { transformations: { request: { set: { ":path": "'/new' + request.path" } } } }
    backends: [{ host: "${host}" }]
  - name: rewritten
    encodedSlashes: keep
    matches: [{ path: { pathPrefix: /old } }]
    policies: { urlRewrite: { path: { prefix: /young } } }
    backends: [{ host: "${host}" }]
  - name: forged
    matches: [{ path: { pathPrefix: /forged } }]
    policies: { transformations: { request: { set: { ":path": "'/forged/a%2Fb'" } } } }
    backends: [{ host: "${host}" }]
  - name: rules
    encodedSlashes: keep
    matches: [{ path: { pathPrefix: /rules } }]
    policies: { authorization: { rules: [{ deny: "request.path == '/rules/a%2Fb'" }] } }
    backends: [{ host: "${host}" }]
  - { name: grouped, encodedSlashes: keep, matches: [{ path: { pathPrefix: /group } }], backends: [{ routeGroup: group }] }
  - { name: rest, backends: [{ host: "${host}" }] }
  - { name: everything-plain, gateways: plain, encodedSlashes: reject, backends: [{ host: "${host}" }] }
  - { name: everything-guarded, gateways: guarded, encodedSlashes: keep, backends: [{ host: "${host}" }] }
routeGroups:
  - name: group
    routes:
      - { name: inner, matches: [{ path: { pathPrefix: /group/a } }], backends: [{ host: "${host}" }] }
      - { name: strict, encodedSlashes: refuse, matches: [{ path: { pathPrefix: /group/b } }], backends: [{ host: "${host}" }] }
`

suite('encodedSlashes', () => {
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

  const git = { headers: { host: 'git.example' } }

  /** Paths that reach the upstream; the raw path selects the route by prefix. */
  const passes: readonly (readonly [target: string, sent: string, headers?: object])[] = [
    ['/api/v4/projects/group%2Fproject', '/api/v4/projects/group%2Fproject', git],
    [
      '/api/v4/projects/group%2fsub%2fproject/issues?a=%2f',
      '/api/v4/projects/group%2Fsub%2Fproject/issues?a=%2f',
      git,
    ],
    ['/api/v4/a\\b%5Cc', '/api/v4/a%5Cb%5Cc', git],
    ['/api/v4/%252Fx', '/api/v4/%252Fx', git],
    ['/projects/a%2Fb/issues', '/projects/a%2Fb/issues'],
    ['/pkg/@s%2fname', '/pkg/@s%2Fname'],
    ['/files/a%2Fb', '/files/a%2Fb'],
    ['/files/posted%2Fx', '/files/posted%2Fx'],
    ['/files/http%3A%2F%2Fhost%2Fx', '/files/http%3A%2F%2Fhost%2Fx'],
    ['/moved/a%2Fb', '/new/moved/a%2Fb'],
    ['/old/a%2Fb', '/young/a%2Fb'],
    ['/group/a/x%2Fy', '/group/a/x%2Fy'],
    ['/x/%252Fy', '/x/%252Fy'],
    ['/forged/x', '/forged/x'],
    ['/rules/c%2Fd', '/rules/c%2Fd'],
  ]
  for (const [target, sent, asked] of passes)
    test(`keeps ${target}`, async () => {
      assert.equal(echoed(await sendRequest(daemon.url('default'), target, asked)).target, sent)
    })

  /** None of these reaches the upstream, however a server behind a route decodes them. */
  const refused: readonly (readonly [target: string, asked?: object])[] = [
    // Routes without the field, or another host.
    ['/a%2Fb'],
    ['/api/v4/a%2Fb'],
    ['/a\\b'],
    ['/a%5cb'],
    // The raw path is not below the prefix.
    ['/files%2Fa'],
    ['/api%2Fv4/a', git],
    ['/%2Ffiles/a'],
    // The paths of a stricter route, for a server that decodes.
    ['/files/private%2Fa'],
    ['/files/%2Fprivate/a'],
    ['/files/%2Fprivate'],
    ['/files/%5Cprivate/a'],
    ['/files/private%5Ca'],
    ['/files/%5c%2fprivate%2f'],
    ['/files/x%2fkeys'],
    ['/files/x%5ckeys'],
    ['/projects/secret%2Fx/issues'],
    ['/pkg/@s%2Fother'],
    ['/files/posted%2Fx', { method: 'POST' }],
    // Dot segments that only some parsers recognise.
    ['/files/..%2fadmin'],
    ['/files/%2e%2e%2fadmin'],
    ['/files/x%2f..%2f..%2fadmin'],
    ['/files/x%5c..'],
    ['/files/x%2f.'],
    ['/files/x%2f..;a'],
    ['/files/%2f%2e%2e'],
    // Within a route group.
    ['/group/b/x%2Fy'],
    ['/group%2Fa/x'],
  ]
  for (const [target, asked] of refused)
    test(`refuses ${target}${asked && 'method' in asked ? ' in a POST' : ''}`, async () => {
      const { status, text } = await sendRequest(daemon.url('default'), target, asked)
      assert.equal(status, 400, text)
    })

  test('is named in the refusal, before and after a route is chosen', async () => {
    for (const gateway of ['default', 'plain'])
      assert.deepEqual(
        (await sendRequest(daemon.url(gateway), '/a%2Fb')).text,
        'invalid request: the path contains a backslash, or a percent-encoded slash or backslash, which is refused unless encodedSlashes is keep',
      )
  })

  test('is applied after the escape is normalized for rules', async () => {
    for (const target of ['/rules/a%2Fb', '/rules/a%2fb', '/rules/%61%2fb', '/rules/x/../a%2fb'])
      assert.equal((await sendRequest(daemon.url('default'), target)).status, 403, target)
    assert.equal((await sendRequest(daemon.url('guarded'), '/x%2fy')).status, 403)
    assert.equal((await sendRequest(daemon.url('guarded'), '/x/y')).status, 200)
  })

  test('matches the prefixes of a group against the raw path', async () => {
    assert.equal((await sendRequest(daemon.url('default'), '/group/a%2Fx')).status, 404)
  })

  test('applies over HTTP/2 as well', async () => {
    const session = connect(daemon.url('default'))
    const status = (path: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ':path': path, ':authority': 'git.example' })
        stream.on('response', (headers) => resolve(headers[':status'])).on('error', reject)
        stream.resume().end()
      })
    try {
      assert.equal(await status('/api/v4/a%2Fb'), 200)
      assert.equal(await status('/files/private%2Fa'), 400)
      assert.equal(await status('/other%2Fa'), 400)
    } finally {
      session.close()
    }
  })
})

test('encodedSlashes: a route can refuse what all others keep', async () => {
  await using upstream = await startEcho('upstream')
  await using daemon = await startDaemon(`${anyPorts}
frontendPolicies: { http: { path: { encodedSlashes: keep } } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - { name: admin, encodedSlashes: refuse, matches: [{ path: { pathPrefix: /admin } }], policies: { directResponse: { status: 403 } } }
  - { name: only, matches: [{ path: { pathPrefix: /only } }], backends: [{ host: "${upstream.host}" }] }
  - { name: near, matches: [{ path: { pathPrefix: /only/near } }], policies: { directResponse: { status: 403 } } }
  - { name: slash, matches: [{ path: { regex: "/%2F[a-z]+" } }], backends: [{ host: "${upstream.host}" }] }
`)
  const status = async (target: string) => (await sendRequest(daemon.url('default'), target)).status
  assert.equal(await status('/only/a%2Fb'), 200)
  // Both keep them: the raw path counts.
  assert.equal(await status('/only/near%2Fb'), 200)
  assert.equal(await status('/%2Fadmin'), 400)
  assert.equal(await status('/%2Fother'), 200)
  assert.equal(await status('/nowhere%2Fx'), 404)
})

test('encodedSlashes: routes that can never match are errors at load', () => {
  const load = (text: string): string => {
    try {
      parseConfig(text, 'gateway.yaml', {})
      return ''
    } catch (error) {
      return String(error)
    }
  }
  const routes = (route: string, more = ''): string => `gateways: { default: { port: 3000 } }
routes:
  - { ${route} }
${more}`
  assert.equal(
    load(
      routes('encodedSlashes: keep, matches: [{ path: { exact: "/a%2fb" } }], backends: [{ host: "a:1" }]'),
    ),
    '',
  )
  assert.match(
    load(routes('matches: [{ path: { exact: "/a%2fb" } }], backends: [{ host: "a:1" }]')),
    /can never match/,
  )
  const group = 'routeGroups: [{ name: g, routes: [{ encodedSlashes: keep, backends: [{ host: "a:1" }] }] }]'
  assert.match(
    load(routes('backends: [{ routeGroup: g }]', group)),
    /no route that leads to this group keeps encoded slashes/,
  )
  assert.equal(load(routes('encodedSlashes: keep, backends: [{ routeGroup: g }]', group)), '')
})
