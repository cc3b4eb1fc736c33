import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { llmStreamViolations, LlmStreamValidator } from '../../../src/testing/index.ts'
import { unnamed } from '../../support/sse-text.ts'

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt',
  choices: [{ index: 0, delta, finish_reason }],
})
const good = unnamed([chunk({ role: 'assistant', content: 'Grüße 🌍' }), chunk({}, 'stop'), '[DONE]'])
const bad = unnamed([chunk({ content: 'Grüße 🌍' }), chunk({}, 'end_turn'), '[DONE]'])

test('LlmStreamValidator', async (t) => {
  await t.test('reads a stream from the network', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(good.slice(0, 100))
      response.end(good.slice(100))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)

    const body = response.body as AsyncIterable<Uint8Array>
    const validator = new LlmStreamValidator('completions')
    for await (const chunk of body) validator.push(chunk)
    assert.deepEqual(validator.end(), [])

    server.close()
    server.closeAllConnections()
  })

  await t.test('reports the same for a stream however it is split', () => {
    for (const stream of [good, bad, good.slice(0, -1)]) {
      const whole = llmStreamViolations('completions', stream)
      const bytes = Buffer.from(stream)
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
          const ends = [...cuts.toSorted((one, other) => one - other), bytes.length]
          const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
          assert.deepEqual(llmStreamViolations('completions', chunks), whole)
        }),
      )
    }
  })

  await t.test('treats comments as keep-alives, wherever they are', () => {
    assert.deepEqual(llmStreamViolations('completions', `: wait\n\n${good}`), [])
    assert.deepEqual(llmStreamViolations('completions', good.replaceAll('\n\n', '\n\n: wait\n\n')), [])
  })

  await t.test('accepts any line break', () => {
    for (const line of ['\r\n', '\r'])
      assert.deepEqual(llmStreamViolations('completions', good.replaceAll('\n', line)), [])
  })

  await t.test('reports a missing blank line after the last event', () => {
    assert.deepEqual(
      llmStreamViolations('completions', good.slice(0, -1)).map(({ rule }) => rule),
      ['framing', 'end'],
    )
  })

  await t.test('reports the same when it is called again', () => {
    const validator = new LlmStreamValidator('messages')
    validator.push('data: nothing')
    assert.equal(validator.end().length, 2)
    assert.deepEqual(validator.end(), validator.end())
    assert.equal(validator.end().length, 2)
  })
})
