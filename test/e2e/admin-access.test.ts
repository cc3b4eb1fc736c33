import assert from 'node:assert/strict'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { quitEndpoint } from '../../src/admin/handlers/quit.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { ConfigError } from '../../src/config/errors.ts'
import { sendRequest } from '../support/send-request.ts'
import { call } from '../support/admin-call.ts'
import { makeAuthority } from '../support/certificates.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'

const first = 'first-token-of-the-admin'
const second = 'second-token-of-the-admin'

test('bearer tokens of the admin server', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'admin-tokens-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'tokens')
  writeFileSync(file, `# rotated every week\n${first}\n\n`)
  /** At once: a file that is written in place is empty for a moment. */
  const replace = (tokens: string) => {
    writeFileSync(`${file}.next`, tokens)
    renameSync(`${file}.next`, file)
  }
  const configuration = `${anyPorts}  admin: { auth: { tokenFile: ${file} } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - matches: [{ path: { pathPrefix: /admin } }]
    policies: { urlRewrite: { path: { prefix: / } } }
    backends: [{ internal: forward }]
`
  await using daemon = await startDaemon(configuration)
  const dump = (authorization?: string) =>
    sendRequest(daemon.url('admin'), '/config_dump', {
      headers: authorization === undefined ? {} : { authorization },
    })

  await t.test('are required for every path and method', async () => {
    for (const path of ['/', '/config_dump', '/quitquitquit', '/nowhere', '/config_dump?x=1'])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, text, headers } = await sendRequest(daemon.url('admin'), path, { method })
        assert.deepEqual([status, text], [401, 'a bearer token is required\n'])
        assert.equal(headers['www-authenticate'], 'Bearer realm="agentgateway admin"')
      }
  })

  await t.test('leave no command at the start that lacks one', () => {
    assert.match(daemon.output(), /^Try:\n/m)
    assert.doesNotMatch(daemon.output(), /debug\/trace/)
  })

  await t.test('are taken from one field only', async () => {
    for (const given of [
      [`Bearer ${first}`, `Bearer ${second}`],
      [`Bearer ${first}`, `Bearer ${first}`],
    ])
      assert.deepEqual(
        await new Promise((resolve, reject) => {
          const call = httpRequest(`${daemon.url('admin')}/logging`, {
            headers: ['Host', 'localhost', ...given.flatMap((value) => ['Authorization', value])],
          })
          call
            .once('response', (res) => resolve(res.resume().statusCode))
            .once('error', reject)
            .end()
        }),
        401,
      )
  })

  const wrong = [
    `Bearer ${first}x`,
    `Bearer ${first.slice(0, -1)}`,
    `Bearer ${first} ${first}`,
    `Bearer # rotated every week`,
    'Bearer ',
    `Basic ${first}`,
    first,
  ]
  for (const authorization of wrong)
    await t.test(`are not ${JSON.stringify(authorization)}`, async () => {
      const { status, headers } = await dump(authorization)
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /^Bearer realm="agentgateway admin"/)
    })

  await t.test('are never shown, and let their owner in', async () => {
    for (const scheme of ['Bearer', 'bearer']) {
      const { status, text } = await dump(`${scheme} ${first}`)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /-token-of-the-admin/)
      assert.match(text, /"tokens": 1/)
    }
  })

  await t.test('are not required by readiness, metrics, and routes to the admin interface', async () => {
    assert.equal((await sendRequest(daemon.url('readiness'), '/healthz/ready')).status, 200)
    assert.equal((await sendRequest(daemon.url('readiness'), '/healthz/live')).text, 'live\n')
    assert.equal((await sendRequest(daemon.url('stats'), '/metrics')).status, 200)
    assert.equal((await sendRequest(daemon.url('default'), '/admin/dependencies')).status, 200)
  })

  await t.test('are replaced when their file changes, and kept while it is unusable', async () => {
    replace(`${first}\n${second}\n`)
    await daemon.printed(/configuration in force[^]*configuration in force/)
    assert.deepEqual(
      [(await dump(`Bearer ${first}`)).status, (await dump(`Bearer ${second}`)).status],
      [200, 200],
    )
    replace('too-short\n')
    await daemon.printed(/Failed to reload config/)
    assert.doesNotMatch(daemon.output(), /too-short/)
    assert.equal((await dump(`Bearer ${second}`)).status, 200)
    const diff = await sendRequest(daemon.url('admin'), '/debug/config/diff', {
      headers: { authorization: `Bearer ${second}` },
    })
    assert.doesNotMatch(diff.text, /-token-of-the-admin/)
    const { lastReload, lastFailure } = JSON.parse(diff.text) as {
      readonly lastReload: { readonly changes: { readonly changed: readonly unknown[] } }
      readonly lastFailure: { readonly error: string }
    }
    assert.match(lastFailure.error, /has a token of 9 characters in line 1: at least 16 are required/)
    assert.equal(lastReload.changes.changed.length, 1)
    daemon.rewrite(configuration.replace(/ {2}admin: .*\n/, ''))
    await daemon.printed(/configuration in force(?:[^]*configuration in force){2}/)
    assert.equal((await dump()).status, 401)
  })
})

test('the configuration of access to the admin server', async (t) => {
  const parse = (config: string, tokens = first, env = {}) =>
    parseConfig(`config: ${config}\ngateways: { default: { port: 3000 } }`, 'gw.yaml', env, {
      read: () => ({ text: tokens }),
    })
  const warningsOf = (config: string, env = {}) =>
    parse(config, first, env).warnings.filter(({ code }) => code === 'admin_without_auth')

  await t.test('warns of an open server without credentials, and not of others', () => {
    const [warning, ...more] = warningsOf('{ adminAddr: "0.0.0.0:15000" }')
    assert.deepEqual(more, [])
    assert.deepEqual([warning?.path, warning?.line], ['config.adminAddr', 1])
    assert.match(warning?.message ?? '', /set config\.admin\.auth\.tokenFile or config\.admin\.tls\.root/)
    assert.equal(warningsOf('{}', { ADMIN_ADDR: '[::]:15000' }).length, 1)
    assert.equal(warningsOf('{ adminAddr: "10.0.0.1:15000" }').length, 1)
    for (const address of [
      'localhost:15000',
      '127.0.0.2:15000',
      '[::1]:15000',
      'off',
      'unix:/run/admin.sock',
    ])
      assert.deepEqual(warningsOf(`{ adminAddr: "${address}" }`), [], address)
    assert.deepEqual(
      warningsOf('{ adminAddr: "0.0.0.0:15000", admin: { auth: { tokenFile: /tokens } } }'),
      [],
    )
  })

  const problems: readonly [config: string, tokens: string, expected: RegExp][] = [
    ['{ admin: { auth: { tokenFile: /t } } }', '', /gw\.yaml:1:\d+: config\.admin\.auth\.tokenFile: "\/t" has no token/],
    ['{ admin: { auth: { tokenFile: /t } } }', '# only\n', /has no token/],
    ['{ admin: { auth: { tokenFile: /t } } }', `${first}\nshort`, /has a token of 5 characters in line 2/],
    ['{ admin: { auth: { tokenFile: /t } } }', 'with a space inside it', /spaces or characters beyond ASCII in line 1/],
    ['{ admin: { auth: { tokenFile: /t } } }', `${first}\n`.repeat(101), /has more than 100 tokens/],
    ['{ admin: { auth: {} } }', first, /tokenFile/],
    ['{ admin: { tls: { cert: /c } } }', first, /key/],
    ['{ admin: { tls: { cert: /c, key: /k, allowedNames: [a] } } }', first, /allowedNames: needs tls\.root/],
    ['{ admin: { auth: { tokenfile: /t } } }', first, /did you mean tokenFile|tokenFile/],
  ] // prettier-ignore
  for (const [config, tokens, expected] of problems)
    await t.test(`refuses ${config} with ${JSON.stringify(tokens.slice(0, 30))}`, () => {
      assert.throws(() => parse(config, tokens), (error) => {
        assert.ok(error instanceof ConfigError)
        assert.match(error.message, expected)
        return true
      }) // prettier-ignore
    })
})

test('client certificates of the admin server', async (t) => {
  using authority = makeAuthority()
  using foreign = makeAuthority()
  const server = authority.issue('localhost', ['DNS:localhost', 'IP:127.0.0.1'])
  const admin = await serveEndpoints({
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [quitEndpoint(() => Promise.resolve())],
    hosts: [],
    tls: { certFile: server.certFile, keyFile: server.keyFile, clientCaFile: authority.certFile },
    callers: { tokens: () => [], certificateNames: ['ops.example', 'spiffe://example/ops'] },
  })
  t.after(() => admin.close(0))
  const [address = ''] = admin.addresses
  const quit = (identity: { readonly cert?: string; readonly key?: string } = {}) =>
    new Promise<number>((resolve, reject) => {
      const agent = new Agent({ ca: authority.cert, ...identity, keepAlive: false })
      request(`https://${address}/quitquitquit`, { method: 'POST', agent }, (res) => {
        res.resume().on('end', () => resolve(res.statusCode ?? 0))
      })
        .on('error', reject)
        .end()
    })

  await t.test('decide who may call', async () => {
    assert.equal(await quit(authority.issue('ops.example')), 200)
    assert.equal(await quit(authority.issue('any', ['URI:spiffe://example/ops'])), 200)
    assert.equal(await quit(authority.issue('dev.example')), 403)
    await assert.rejects(quit())
    await assert.rejects(quit(foreign.issue('ops.example')))
  })

  await t.test('are not asked of plain HTTP, which gets no reply', async () => {
    await assert.rejects(call(address, '/quitquitquit', { method: 'POST' }))
  })
})
