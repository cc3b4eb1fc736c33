import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseConfig } from '../../../src/config/parse.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'

const folder = new URL('../../../config', import.meta.url).pathname
const text = readFileSync(`${folder}/gateway.yaml`, 'utf8')

test('the bundled configuration serves a model without a network, and logs a command to try it', async () => {
  const config = text.replaceAll(/port: \d+/g, 'port: 0')
  await using daemon = await startDaemon(`${anyPorts}${config}`, { env: { CONFIG_DIR: folder } })
  const [, url = '', body = ''] = await daemon.printed(/curl (\S+\/v1\/chat\/completions) -d '(.+)'/)
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  assert.equal(answer.status, 200)
  const { model, choices } = (await answer.json()) as {
    model: string
    choices: { message: { content: string } }[]
  }
  assert.equal(model, 'mock')
  assert.match(choices[0]?.message.content ?? '', /Hello!/)
  const home = daemon.url('default').replace('[::]', '127.0.0.1')
  assert.match(await (await fetch(home)).text(), /^Hello from agentgateway/)
  assert.equal((await fetch(new URL('/unknown', home))).status, 404)
})

test('the real providers in the bundled configuration need only keys from the environment', () => {
  const real = text.replaceAll(/^ {4}# - /gm, '    - ').replaceAll(/^ {4}# {3}/gm, '      ')
  const variables = [...real.matchAll(/\$\{([A-Z_]+)\}/g)].map(([, name = '']) => [name, 'x'] as const)
  const { resources, warnings } = parseConfig(real, 'gateway.yaml', Object.fromEntries(variables))
  assert.deepEqual(warnings, [])
  const [llm] = resources.backends.flatMap(({ spec }) => (spec.type === 'llm' ? [spec.choice] : []))
  assert.ok(llm?.by === 'model')
  assert.deepEqual(llm.models.map(({ provider }) => provider.telemetryName).sort(), [
    'anthropic',
    'aws.bedrock',
    'azure',
    'gcp.gemini',
    'mock',
    'ollama',
    'openai',
  ])
})
