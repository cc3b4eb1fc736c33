import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { anyPorts, type Daemon, daemonSources, startDaemon } from '../support/daemon.ts'
import { heavyConfiguration } from '../support/heavy-configuration.ts'

const preload = new URL('../support/packages-preload.ts', import.meta.url).href
const watched = { program: [process.execPath, '--import', preload, daemonSources] }

const oneRoute = `${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
  - policies:
      directResponse: { status: 200, body: hello }
`
const phoneGuard = `
llm:
  models: [{ name: mock, provider: mock }]
  guardrails: { request: [{ regex: { rules: [{ builtin: phoneNumber }] } }] }
`

const HEAVY = ['@bufbuild/protobuf', '@grpc/grpc-js', 'libphonenumber-js']

const loadedBy = (daemon: Daemon): string[] =>
  [...daemon.output().matchAll(/^loaded (.+)$/gm)].flatMap(([, name]) => name ?? []).sort()
const heavyIn = (daemon: Daemon): string[] => loadedBy(daemon).filter((name) => HEAVY.includes(name))

const backendsIn = (daemon: Daemon): string[] => loadedBy(daemon).filter((name) => name.endsWith('-backend'))

const mcpSection = `
mcp:
  port: 0
  targets: [{ name: none, mcp: { host: "http://127.0.0.1:1/" } }]
`

suite('backends of MCP and of language models', () => {
  test('are loaded by the configurations that have them', async () => {
    await using daemon = await startDaemon(oneRoute, watched)
    assert.deepEqual(backendsIn(daemon), [])
    daemon.rewrite(oneRoute + mcpSection)
    await daemon.printed(/^loaded mcp-backend$/m)
    assert.deepEqual(backendsIn(daemon), ['mcp-backend'])
    daemon.rewrite(oneRoute + mcpSection + phoneGuard)
    await daemon.printed(/^loaded llm-backend$/m)
    assert.deepEqual(backendsIn(daemon), ['llm-backend', 'mcp-backend'])
  })
})

suite('packages', () => {
  test('that one HTTP route does not need are not loaded, not even by a request', async () => {
    await using daemon = await startDaemon(oneRoute, watched)
    assert.equal(await (await fetch(daemon.url('default'))).text(), 'hello')
    assert.deepEqual(heavyIn(daemon), [])
    assert.ok(loadedBy(daemon).includes('undici'))
  })

  test('that a configuration needs are loaded before its first request', async () => {
    await using daemon = await startDaemon(heavyConfiguration, watched)
    assert.deepEqual(heavyIn(daemon), HEAVY)
    const before = loadedBy(daemon)
    assert.equal(await (await fetch(daemon.url('default'))).text(), 'all the same')
    assert.deepEqual(loadedBy(daemon), before)
  })

  test('are loaded by the reload that needs them, and no others', async () => {
    await using daemon = await startDaemon(oneRoute, watched)
    daemon.rewrite(oneRoute + phoneGuard)
    await daemon.printed(/^loaded libphonenumber-js$/m)
    assert.deepEqual(heavyIn(daemon), ['libphonenumber-js'])
  })
})
