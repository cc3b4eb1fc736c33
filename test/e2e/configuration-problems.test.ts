import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { command } from '../support/command.ts'
import { anyPorts, daemonProgram, startDaemon } from '../support/daemon.ts'
import { echoed, startEcho } from '../support/echo-upstream.ts'

const validate = async (configuration: string) => {
  const folder = mkdtempSync(join(tmpdir(), 'validate-'))
  const file = join(folder, 'gateway.yaml')
  writeFileSync(file, configuration)
  try {
    const { status, stdout, stderr } = await command(process.execPath, [
      daemonProgram,
      '-f',
      file,
      '--validate-only',
    ])
    return { status, text: (stdout + stderr).replaceAll(file, 'gateway.yaml') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const conflicting = `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: first
    matches: [{ path: { pathPrefix: /same } }]
    policies: { directResponse: { status: 200, body: first } }
  - name: same
    matches: [{ path: { pathPrefix: /same/ } }]
    policies: { directResponse: { status: 200, body: same } }
  - name: spelled
    matches: [{ path: { pathPrefix: "/%73ame" } }]
    policies: { directResponse: { status: 200, body: spelled } }
  - { name: all, policies: { directResponse: { status: 200, body: all } } }
  - { name: shadowed, policies: { directResponse: { status: 200, body: shadowed } } }
`

test('routes that shadow each other', async (t) => {
  const told = ['same', 'spelled', 'shadowed']
  const lines: Readonly<Record<string, RegExp>> = {
    same: /12:15: warning: routes\[1\]\.matches\[0\] is never chosen: [^\n]*routes\[0\] \(first\) comes first/,
    spelled: /15:15: warning: routes\[2\]\.matches\[0\] is never chosen: [^\n]*routes\[0\] \(first\)/,
    shadowed:
      /18:5: warning: routes\[4\] is never chosen: [^\n]*\(all\) comes first and both take every path/,
  }

  await t.test('are warnings of --validate-only, which succeeds', async () => {
    const { status, text } = await validate(conflicting)
    assert.equal(status, 0)
    assert.match(text, /Configuration is valid!/)
    for (const name of told) assert.match(text, lines[name] ?? /^$/)
  })

  await t.test('are reported in the log and in the dump, and the first in the file wins', async () => {
    await using daemon = await startDaemon(conflicting)
    await daemon.printed(/configuration in force/)
    for (const name of told) await daemon.printed(lines[name] ?? /^$/)
    const dump = await (await fetch(`${daemon.url('admin')}/config_dump`)).text()
    assert.equal(dump.match(/identical_matchers/g)?.length, 3)
    assert.equal((await sendRequest(daemon.url('default'), '/same/x')).text, 'first')
    assert.equal((await sendRequest(daemon.url('default'), '/else')).text, 'all')
  })
})

/** One problem or more a line; each is reported with its location. */
const hopeless = `
gateways: { default: { port: 3000 }, again: { port: 3000 } }
backends: [{ name: a, host: "a:1" }, { name: a, host: "b:1" }]
routes:
  - { name: nobody, backends: [{ backend: nobody }] }
  - { name: service, backends: [{ service: { name: a/b, port: 1 } }] }
  - { name: gateway, gateways: other, backends: [] }
  - { name: unknown, backend: [] }
  - { name: mirror, policies: { requestMirror: { backend: { backend: no-mirror } } } }
  - { name: parse, policies: { directResponse: { status: 200, bodyExpression: "1 +" } } }
  - { name: variable, policies: { directResponse: { status: 200, bodyExpression: "reqest.path" } } }
  - { name: prefix, matches: [{ path: { exact: /a } }], policies: { urlRewrite: { path: { prefix: /b } } } }
  - { name: order, policies: { directResponse: { conditional: [{ status: 200 }, { condition: "true", status: 201 }] } } }
  - { name: none, policies: { directResponse: { conditional: [] } } }
policies: [{ name: { name: p }, target: { route: { name: prefix } }, policy: { csrf: {}, timeout: { requestTimeout: 1s } } }]
routeGroups:
  - { name: left, routes: [{ backends: [{ routeGroup: right }] }] }
  - { name: right, routes: [{ backends: [{ routeGroup: left }] }] }
`

const problems: readonly RegExp[] = [
  /^gateway\.yaml:2:\d+: .*port 3000/m,
  /^gateway\.yaml:3:\d+: backends\[1\]/m,
  /^gateway\.yaml:5:\d+: .*nobody/m,
  /^gateway\.yaml:6:\d+: .*a\/b/m,
  /^gateway\.yaml:7:\d+: .*unknown gateway reference/m,
  /^gateway\.yaml:8:22: routes\[3\]\.backend.*\n.*did you mean "?backends"?/m,
  /^gateway\.yaml:9:\d+: .*no-mirror/m,
  /^gateway\.yaml:10:\d+: /m,
  /^gateway\.yaml:11:\d+: [^]*request/m,
  /^gateway\.yaml:12:\d+: .*requires prefix match/m,
  /^gateway\.yaml:13:\d+: .*entries without condition must be last/m,
  /^gateway\.yaml:14:\d+: .*at least one entry/m,
  /^gateway\.yaml:15:\d+: .*'policies' must contain exactly 1 policy/m,
  /^gateway\.yaml:1[78]:\d+: .*route delegation cycle/m,
]

test('all configuration errors are reported at once, with line and column', async () => {
  const { status, text } = await validate(hopeless)
  assert.notEqual(status, 0)
  for (const problem of problems) assert.match(text, problem)
})

test('the older form of binds works like the newer one', async () => {
  await using echo = await startEcho('echo')
  await using daemon = await startDaemon(`${anyPorts}
binds:
  - port: 0
    address: 127.0.0.1
    listeners:
      - name: shop
        hostname: "*.shop.example"
        policies: { cors: { allowOrigins: ["https://app.example"] } }
        routes:
          - { name: by-bind, backends: [{ host: "${echo.host}" }], policies: { responseHeaderModifier: { set: { x-form: older } } } }
`)
  const headers = { host: 'eu.shop.example', origin: 'https://app.example' }
  const answer = await sendRequest(daemon.url('default'), '/x', { headers })
  assert.equal(echoed(answer).target, '/x')
  assert.deepEqual(
    [answer.headers['x-form'], answer.headers['access-control-allow-origin']],
    ['older', 'https://app.example'],
  )
  assert.equal(
    (await sendRequest(daemon.url('default'), '/x', { headers: { host: 'shop.example' } })).text,
    'listener not found',
  )
})

test('proxies named in the environment are not used', async () => {
  const asked: string[] = []
  const proxy = createServer((req, res) => {
    asked.push(req.url ?? '')
    res.end('from the proxy')
  }).on('connect', (req, socket) => {
    asked.push(req.url ?? '')
    socket.destroy()
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  await using echo = await startEcho('echo')
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
  await using daemon = await startDaemon(
    `${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - { name: address, backends: [{ host: "${echo.host}" }] }
  - { name: name, matches: [{ path: { exact: /name } }], backends: [{ host: "localhost:${echo.port}" }] }
  - { name: dialled, matches: [{ path: { exact: /dialled } }], backends: [{ dynamic: { allow: { hosts: [127.0.0.1], privateRanges: [127.0.0.1/32] } } }] }
`,
    { env: { ...Object.fromEntries(names.map((name) => [name, url])), NODE_USE_ENV_PROXY: '1' } },
  )
  for (const path of ['/', '/name', '/dialled'])
    assert.equal(
      echoed(await sendRequest(daemon.url('default'), path, { headers: { host: echo.host } })).name,
      'echo',
    )
  assert.deepEqual(asked, [])
  proxy.close()
})
