import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { until } from '../../support/stream-body.ts'

/** About 100,000 tokens. */
const prompt = 'word '.repeat(80_000)

const folder = mkdtempSync(join(tmpdir(), 'long-prompts-'))

/** Makes a process print whenever it parses a long text. */
const watcher = join(folder, 'watch-parse.mjs')
writeFileSync(
  watcher,
  `const parse = JSON.parse
JSON.parse = (text, reviver) => {
  if (text.length > 100_000) process.stderr.write('PARSED SOMETHING LONG\\n')
  return parse(text, reviver)
}`,
)

describe('a prompt of 100,000 tokens', () => {
  const received: number[] = []
  const provider = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push(body.length)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 100_000, completion_tokens: 1, total_tokens: 100_001 },
        }),
      )
    })
  })
  let daemon: Daemon

  before(async () => {
    provider.listen(0, '127.0.0.1')
    await once(provider, 'listening')
    const { port } = provider.address() as AddressInfo
    daemon = await startDaemon(
      `${anyPorts}gateways:
  default: { port: 0 }
llm:
  gateways: [default]
  models:
    - { name: m, provider: openai, params: { baseUrl: 'http://127.0.0.1:${String(port)}/v1' } }
`,
      { env: { NODE_OPTIONS: `--import ${watcher}` } },
    )
  })

  after(async () => {
    await daemon[Symbol.asyncDispose]()
    provider.close()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const { name, path, more } of [
    { name: 'in the format of its provider', path: '/v1/chat/completions', more: {} },
    { name: 'translated', path: '/v1/messages', more: { max_tokens: 9 } },
  ])
    it(`is parsed once: ${name}`, async () => {
      const count = () => daemon.output().split('PARSED SOMETHING LONG').length - 1
      const before = count()
      const answer = await fetch(daemon.url('default') + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: prompt }], ...more }),
      })
      assert.equal(answer.status, 200)
      await answer.text()
      assert.ok((received.at(-1) ?? 0) > prompt.length)
      await until(() => count() > before, 'a word of the parser')
      assert.equal(count() - before, 1)
    })
})
