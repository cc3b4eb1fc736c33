import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dumpConfig } from '../../src/config/dump.ts'
import { parseConfig } from '../../src/config/parse.ts'

test('the stream connection limit is part of a backend, and of its dump', () => {
  const written = (field: string) =>
    parseConfig(`mcp: {targets: [{name: a, stdio: {cmd: a}}]${field}}`, 'a.yaml', {})
  const { resources } = written(', hangUpAfter: 50s')
  const [spec] = resources.backends.map((backend) => backend.spec)
  assert.equal(spec?.type === 'mcp' && spec.hangUpAfterMs, 50_000)
  const dumped = (field: string): string =>
    JSON.stringify(dumpConfig(written(field), { version: '1', gitRevision: 'a' }).backends)
  assert.match(dumped(', hangUpAfter: 50s'), /"hangUpAfter":"50000ms"/)
  assert.doesNotMatch(dumped(''), /hangUpAfter/)
})
