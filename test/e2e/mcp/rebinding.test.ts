import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname

/** Gateways, and their status for a foreign host name. */
const cases = [
  ['that only this machine can reach', '{ port: 0, address: 127.0.0.1 }', {}, 403],
  ['that everybody can reach, from wherever they come', '{ port: 0 }', {}, 200],
  ['that everybody can reach, with protection', '{ port: 0 }', { dnsRebindingProtection: true }, 403],
] as const

for (const [what, gateway, mcp, expected] of cases)
  test(`a gateway ${what} replies with ${expected} to a foreign host name`, async () => {
    const targets = [{ name: 'sh', stdio: { cmd: process.execPath, args: [demo] } }]
    await using daemon = await startDaemon(`${anyPorts}
gateways: { default: ${gateway} }
routes: [{ backends: [{ mcp: ${JSON.stringify({ ...mcp, targets })} }] }]
`)
    const { port } = new URL(daemon.url('default'))
    for (const host of ['gateway.example', 'localhost']) {
      const told = await new McpCaller(`http://127.0.0.1:${port}/mcp`, { host }).open()
      assert.equal(told.status, host === 'localhost' ? 200 : expected, told.text)
    }
  })
