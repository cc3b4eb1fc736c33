import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'
import { startExample } from '../../test/support/example.ts'

const env = { OPENAI_API_KEY: 'sk-0p3n', AZURE_KEY: 'azur3' }

test('examples/llm-guard-services', async (t) => {
  await t.test('has a valid configuration without warnings', () => {
    const text = readFileSync('examples/llm-guard-services/config.yaml', 'utf8')
    assert.deepEqual(parseConfig(text, 'config.yaml', env).warnings, [])
  })

  await t.test('starts, and keeps its secrets out of the log', async () => {
    await using daemon = await startExample('llm-guard-services', env)
    assert.match(daemon.url('default'), /^http:/)
    assert.doesNotMatch(daemon.output(), /sk-0p3n|azur3/)
  })
})
