import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { command } from '../support/command.ts'

/** What the suite requires of clients and the gateway does for them; the rest is between clients and their users. */
const scenarios = [
  ['initialize', '2025-11-25'],
  ['tools_call', '2025-11-25'],
  ['elicitation-sep1034-client-defaults', '2025-11-25'],
  ['sse-retry', '2025-11-25'],
  ['tools_call', '2026-07-28'],
  ['request-metadata', '2026-07-28'],
  ['http-standard-headers', '2026-07-28'],
  ['http-custom-headers', '2026-07-28'],
  ['sep-2322-client-request-state', '2026-07-28'],
] as const

const program = new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url)
const client = new URL('../support/mcp/through-gateway.ts', import.meta.url)

suite('servers of the conformance suite behind the gateway', { concurrency: 2 }, () => {
  for (const [scenario, revision] of scenarios)
    test(`pass all of their checks in ${revision}: ${scenario}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
      const { stdout, stderr } = await command(process.execPath, [
        ...[program.pathname, 'client', '--scenario', scenario, '--spec-version', revision, '-o', folder],
        // The client starts a gateway first, which is slow on a busy machine.
        ...['--timeout', '180000'],
        ...['--command', `${process.execPath} --conditions=agentgateway-source ${client.pathname}`],
      ])
      rmSync(folder, { recursive: true })
      assert.match(stdout + stderr, /^Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/m)
    })
})
