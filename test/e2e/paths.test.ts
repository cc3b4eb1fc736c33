import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../support/echo-upstream.ts'

/** Everything is forwarded, except what these routes refuse. */
const configuration = (host: string, path: string): string => `${anyPorts}
frontendPolicies: { http: { path: ${path} } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: refuse-exact
    matches: [{ path: { exact: /exact } }, { path: { exact: "/caf%c3%a9" } }, { path: { exact: "/th\\u00e9" } }, { path: { exact: "/%7euser" } }]
    policies: { directResponse: { status: 403, body: refused } }
  - name: refuse-prefix
    matches: [{ path: { pathPrefix: /admin } }, { path: { pathPrefix: /a/b/ } }, { path: { regex: "/re(/.*)?" } }]
    policies: { directResponse: { status: 403, body: refused } }
  - name: rest
    backends: [{ host: "${host}" }]
`

/** Spellings that are refused, by policy (403) or because they are ambiguous (400). None may be served. */
const spellings = [
  '/admin',
  '/admin/',
  '/admin?a=b',
  '/admin?',
  '/%61dmin',
  '/%61%64%6d%69%6e',
  '/%61%64%6D%69%6E/x',
  '/./admin',
  '/%2e/admin',
  '/x/../admin',
  '/x/%2e%2e/admin',
  '/x/.%2E/admin',
  '/x/%2E./admin/y',
  '/../admin',
  '/../../admin',
  '/admin/./x',
  '/admin/x/..',
  '/admin/../admin',
  '/x/y/../../admin',
  '/..;/admin',
  '/x/..;a=b/admin',
  '/.;/admin',
  '/%2e%2e;/admin',
  '/x%2f..%2fadmin',
  '/x/..%2fadmin',
  '/%2fadmin',
  '/%5cadmin',
  '/\\admin',
  '/x\\..\\admin',
  '/admin%2fx',
  '/%00/admin',
  '/admin%00',
  '/%c0%afadmin',
  '/x/%c0%ae%c0%ae/admin',
  '/x/%e0%80%ae%e0%80%ae/admin',
  '/admin#x',
  '/exact',
  '/%65xact',
  '/./exact',
  '/x/../exact',
  '/exact/.././exact',
  '/exac%74?x',
  '/a/b',
  '/a/b/c',
  '/a/./b',
  '/a/%62',
  '/a/x/../b',
  '/a/b/..;/b',
  '/caf%c3%a9',
  '/caf%C3%A9',
  '/c%61f%C3%a9',
  '/caf\xc3\xa9',
  '/th%c3%a9',
  '/th%C3%A9',
  '/th\xc3\xa9',
  '/~user',
  '/%7Euser',
  '/re',
  '/re/',
  '/%72e/x',
  '/x/../re',
  'http://shop.example/admin',
  'http://shop.example/x/../admin',
  'http://shop.example/%61dmin',
  'HTTP://SHOP.example/admin',
]

/** Different paths, however similar: they reach the upstream in the spelling that rules read. */
const others: Readonly<Record<string, string>> = {
  '/': '/',
  '/administrator': '/administrator',
  '/Admin': '/Admin',
  '/x/admin': '/x/admin',
  '/exact/': '/exact/',
  '/exact/x': '/exact/x',
  '/admin;x': '/admin;x',
  '/%2561dmin': '/%2561dmin',
  '/admin/../x': '/x',
  '/x/./y/../%7ez?q=/../%2e': '/x/~z?q=/../%2e',
  '/%3aadmin': '/%3Aadmin',
  '/x?/admin': '/x?/admin',
  '/.well-known/x': '/.well-known/x',
  '/...': '/...',
  'http://shop.example/y': '/y',
}

/** With repeated slashes kept, these are different paths too. */
const repeated = ['//admin', '///admin', '/a//b', '//exact']

for (const [what, rules] of Object.entries({
  'by default': '{}',
  'with encoded slashes kept': '{ encodedSlashes: keep }',
  'with slashes merged': '{ mergeSlashes: true }',
}))
  suite(`no spelling of a path bypasses a rule, ${what}`, () => {
    let daemon: Daemon
    let upstream: EchoUpstream
    before(async () => {
      upstream = await startEcho('upstream')
      daemon = await startDaemon(configuration(upstream.host, rules))
    })
    after(async () => {
      await daemon.stop('SIGKILL')
      await upstream[Symbol.asyncDispose]()
    })

    const headers = { host: 'shop.example' }
    const merged = rules.includes('merge')
    const kept = rules.includes('keep')

    for (const target of merged ? [...spellings, ...repeated] : spellings)
      test(JSON.stringify(target), async () => {
        const answer = await sendRequest(daemon.url('default'), target, { headers })
        const { status, text } = answer
        // With encoded slashes kept, this is a different path: it may be served, but unchanged.
        if (kept && status === 200) assert.match(echoed(answer).target, /%2F|%5C/)
        else assert.ok(status === 403 || status === 400, `${status} ${text}`)
      })

    for (const [target, sent] of Object.entries(others))
      test(`${target} is a different path`, async () => {
        assert.equal(echoed(await sendRequest(daemon.url('default'), target, { headers })).target, sent)
      })

    if (!merged)
      for (const target of repeated)
        test(`${target} has an empty segment, which is kept`, async () => {
          assert.equal(echoed(await sendRequest(daemon.url('default'), target, { headers })).target, target)
        })
  })

test('a transformation can only set paths that clients may send', async () => {
  await using upstream = await startEcho('upstream')
  const sentWith = async (rules: string): Promise<string> => {
    await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
frontendPolicies: { http: { path: ${rules} } }
routes:
  - policies: { transformations: { request: { set: { ":path": "'/files/a%2fb//c'" } } } }
    backends: [{ host: "${upstream.host}" }]
`)
    return echoed(await sendRequest(daemon.url('default'), '/x')).target
  }
  assert.deepEqual(
    [await sentWith('{ encodedSlashes: keep }'), await sentWith('{ mergeSlashes: true }')],
    ['/files/a%2Fb//c', '/x'],
  )
})
