import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { type ProviderScript, startProviders } from '../../support/llm/scripted-providers.ts'

/** Begins a message, reports the usage of the prompt, and then stays silent. */
const begins: ProviderScript = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const usage = { input_tokens: 3, output_tokens: 1 }
  const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [], usage }
  response.write(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`)
}

/** A program that sends a request, reports the beginning of a reply, and then waits for more. */
const client = `
const response = await fetch(process.argv[1], { method: 'POST', headers: { 'content-type': 'application/json' }, body: process.argv[2] })
for await (const _ of response.body) process.stdout.write('begun')`

test('tokens reserved for a client that is killed during a stream are released', async (t) => {
  await using providers = await startProviders({ begins })
  const host = new URL(providers.baseUrl('begins')).host
  const daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes:
  - policies:
      localRateLimit: [{ maxTokens: 100, tokensPerFill: 100, fillInterval: 1000s, type: tokens }]
      ai: { routes: { '*': messages } }
    backends:
      - ai: { name: it, hostOverride: "${host}", pathOverride: /begins, provider: { custom: { formats: [{ type: messages }] } }, tokenize: true }
`)
  t.after(() => daemon.stop('SIGKILL'))
  const url = daemon.url('default')
  const left = async (): Promise<number> => {
    const { headers } = await sendRequest(url, '/v1/messages', { method: 'POST', body: 'no json' })
    return Number(headers['x-ratelimit-remaining'])
  }

  const messages = [{ role: 'user', content: 'word '.repeat(50) }]
  const body = JSON.stringify({ model: 'm', max_tokens: 10, stream: true, messages })
  const program = spawn(process.execPath, ['--input-type=module', '-e', client, `${url}/v1/messages`, body], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(program, 'exit')
  t.after(() => program.kill('SIGKILL'))
  await once(program.stdout, 'data')
  const held = 100 - (await left())
  assert.ok(held > 50, String(held))
  program.kill('SIGKILL')
  assert.deepEqual(await ended, [null, 'SIGKILL'])

  const began = performance.now()
  // Four were used, as the stream had reported.
  for (let now = await left(); now !== 96; now = await left())
    assert.ok(performance.now() - began < 60_000, `${String(now)} left`)
})
