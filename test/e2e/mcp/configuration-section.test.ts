import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'

const statusOf = async (daemon: Daemon, gateway: string, path: string): Promise<number> =>
  (await sendRequest(daemon.url(gateway), path)).status

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
/** No request has a token: everything that requires one gets 401. */
const section = `
mcp:
  targets: [{ name: a, stdio: { cmd: node } }]
  policies:
    mcpAuthentication:
      issuer: https://idp.example/
      audiences: [a]
      jwks: { keys: [${JSON.stringify({ ...key, kid: 'a', alg: 'ES256' })}] }
      resourceMetadata: { scopesSupported: [read] }
`

test('the section mcp', async (t) => {
  await t.test('serves the MCP paths of a gateway, and leaves the rest to routes', async () => {
    await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 }, other: { port: 0, address: 127.0.0.1 } }
routes:
  - { matches: [{ path: { exact: /hello } }], policies: { directResponse: { status: 200 } } }
${section}`)
    for (const path of ['/mcp', '/mcp/x', '/sse'])
      assert.equal(await statusOf(daemon, 'default', path), 401, path)
    for (const path of ['/', '/mcpx', '/well-known'])
      assert.equal(await statusOf(daemon, 'default', path), 404, path)
    assert.equal(await statusOf(daemon, 'default', '/hello'), 200)
    assert.equal(await statusOf(daemon, 'other', '/mcp'), 404)
    const metadata = await sendRequest(daemon.url('default'), '/.well-known/oauth-protected-resource/mcp')
    assert.equal(metadata.status, 200)
    assert.deepEqual((JSON.parse(metadata.text) as { scopes_supported: unknown }).scopes_supported, ['read'])
  })

  await t.test('serves every path on a port of its own', async () => {
    await using daemon = await startDaemon(`${anyPorts}${section}  port: 0\n`)
    for (const path of ['/mcp', '/', '/anything'])
      assert.equal(await statusOf(daemon, 'default', path), 401, path)
  })
})

test('a changed OpenAPI document is loaded, and a broken one is not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'api.yaml')
  // Written atomically: the daemon may read the file at any moment, and a part of it is broken.
  const write = (title: string, more = '') => {
    writeFileSync(
      `${file}.next`,
      `openapi: 3.1.0\ninfo: { title: ${title} }\npaths: { /a: { get: { operationId: a } } }\n${more}`,
    )
    renameSync(`${file}.next`, file)
  }
  write('one')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
mcp: { targets: [{ name: a, openapi: { host: a.example, schema: { file: "${file}" } } }] }
`)
  const until = async (pattern: RegExp, count: number) => {
    while ((daemon.output().match(pattern)?.length ?? 0) < count) await setTimeout(10)
  }
  const title = async () => {
    const { text } = await sendRequest(daemon.url('admin'), '/config_dump')
    return /"title": "(\w+)"/.exec(text)?.[1]
  }
  await until(/configuration in force/g, 1)
  assert.equal(await title(), 'one')
  write('two')
  await until(/configuration in force/g, 2)
  assert.equal(await title(), 'two')
  write('three', 'x: [')
  await until(/Failed to reload config/g, 1)
  assert.ok(daemon.output().includes(`${file}, line 4, column 5: neither JSON nor YAML`), daemon.output())
  assert.equal(await title(), 'two')
})
