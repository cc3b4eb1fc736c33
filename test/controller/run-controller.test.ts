import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { command } from '../support/command.ts'
import { daemonProgram } from '../support/daemon.ts'

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{ name: a, cluster: { server: 'http://127.0.0.1:9' } }]
users: [{ name: a, user: {} }]
contexts: [{ name: a, context: { cluster: a, user: a } }]
current-context: a
`

const controller = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  command(process.execPath, [daemonProgram, 'controller', ...args], { env })

suite('the control plane as a program', () => {
  test('prints its version, and its usage', async () => {
    const version = await controller(['--version'])
    assert.equal(version.status, 0)
    assert.equal(typeof (JSON.parse(version.stdout) as { version: unknown }).version, 'string')
    const help = await controller(['--help'])
    assert.equal(help.status, 0)
    assert.match(help.stdout, /^Usage: agentgateway-controller/)
  })

  test('refuses arguments with its usage', async () => {
    const { status, stderr } = await controller(['-f'])
    assert.equal(status, 2)
    assert.match(stderr, /^unexpected argument "-f"\n\nUsage: /)
  })

  test('ends with a line for each wrong setting', async () => {
    const { status, stderr } = await controller([], { AGW_XDS_MODE: 'maybe', AGW_XDS_MOOD: 'tls' })
    assert.equal(status, 1)
    assert.equal(
      stderr,
      'AGW_XDS_MODE: "maybe" must be plaintext, tls or either\nAGW_XDS_MOOD: no such variable\n',
    )
  })

  test('ends with one line without access to a cluster', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'controller-'))
    const file = join(folder.path, 'config')
    for (const [text, reason] of [
      [undefined, /^no access to a cluster: ENOENT: [^\n]+\n$/],
      ['', /^no access to a cluster: [^\n]+\n$/],
      ['clusters: [', /^no access to a cluster: [^\n]+\n$/],
      [kubeconfig.replace('http:', 'nothing '), /^no access to a cluster: Invalid URL\n$/],
    ] as const) {
      if (text !== undefined) writeFileSync(file, text)
      const { status, stderr } = await controller([], { KUBECONFIG: file })
      assert.equal(status, 1)
      assert.match(stderr, reason)
    }
    const { status, stderr } = await controller([], { KUBECONFIG: '', HOME: folder.path })
    assert.equal(status, 1)
    assert.equal(stderr, 'no access to a cluster: there is no kubeconfig file, and this is no pod\n')
  })

  test('ends with one line if a port is taken', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'controller-'))
    const file = join(folder.path, 'config')
    writeFileSync(file, kubeconfig)
    const server = createServer().listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { status, stderr } = await controller([], { KUBECONFIG: file, AGW_HEALTH_PORT: String(port) })
    server.close()
    assert.equal(status, 1)
    assert.match(
      stderr,
      new RegExp(`^health cannot listen on 0\\.0\\.0\\.0:${port}: another process [^\\n]+\\n$`),
    )
  })
})
