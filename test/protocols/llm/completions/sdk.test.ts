import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import OpenAI from 'openai'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { completions } from '../../../../src/protocols/llm/completions/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'

/** Sends a request of the official client to a server with this response. */
const asking = async <T>(
  type: string,
  pieces: readonly string[],
  ask: (client: OpenAI) => Promise<T>,
): Promise<T> => {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': type })
    for (const piece of pieces) response.write(piece)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    return await ask(new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 }))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const streamed = (events: readonly ChatEvent[]) => {
  const encoder = completions.encodeStream({ model: 'asked', includeUsage: true })
  const pieces = events.map((event) => encoder.encode(event)).filter((piece) => piece !== '')
  return asking('text/event-stream', pieces, (client) =>
    client.chat.completions
      .stream({ model: 'asked', messages: [{ role: 'user', content: 'Hi' }] })
      .finalChatCompletion(),
  )
}

const start: ChatEvent = { type: 'start', id: '', model: '' }
const usage: ChatEvent = { type: 'usage', usage: { inputTokens: 5, outputTokens: 7, cachedInputTokens: 2 } }
const end: ChatEvent = { type: 'end' }

test('the official client', async (t) => {
  await t.test('combines text and usage', async () => {
    const said = await streamed([
      start,
      { type: 'usage', usage: { inputTokens: 5 } },
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'delta', block: 0, text: 'Hel' },
      { type: 'delta', block: 0, text: 'lo' },
      { type: 'close', block: 0 },
      { type: 'finish', finish: 'stop' },
      usage,
      end,
    ])
    assert.match(said.id, /^chatcmpl-[0-9a-f-]{36}$/)
    assert.equal(said.model, 'asked')
    assert.ok(Math.abs(said.created - Date.now() / 1000) < 60)
    assert.equal(said.choices[0]?.message.content, 'Hello')
    assert.equal(said.choices[0].finish_reason, 'stop')
    assert.deepEqual(said.usage, {
      prompt_tokens: 5,
      completion_tokens: 7,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 2 },
    })
  })

  await t.test('combines tool calls that overlap, or have no arguments', async () => {
    const said = await streamed([
      start,
      { type: 'open', block: 0, part: { type: 'thinking' } },
      { type: 'delta', block: 0, text: 'Hm.' },
      { type: 'signature', block: 0, signature: 'sig' },
      { type: 'close', block: 0 },
      { type: 'open', block: 1, part: { type: 'toolCall', id: 'a', name: 'f' } },
      { type: 'open', block: 2, part: { type: 'toolCall', id: 'b', name: 'g' } },
      { type: 'delta', block: 1, text: '{"x":' },
      { type: 'close', block: 2 },
      { type: 'delta', block: 1, text: '1}' },
      { type: 'close', block: 1 },
      { type: 'finish', finish: 'toolCalls' },
      end,
    ])
    const { message, finish_reason } = said.choices[0]!
    assert.equal(finish_reason, 'tool_calls')
    assert.deepEqual(
      message.tool_calls?.map((call) => (call.type === 'function' ? [call.id, call.function] : [])),
      [
        ['a', { name: 'f', arguments: '{"x":1}' }],
        ['b', { name: 'g', arguments: '{}' }],
      ],
    )
    assert.deepEqual((message as unknown as Record<string, unknown>).reasoning_details, [
      { type: 'reasoning.text', text: 'Hm.', signature: 'sig', index: 0 },
    ])
  })

  await t.test('gets a refusal as one', async () => {
    const said = await streamed([
      start,
      { type: 'open', block: 0, part: { type: 'refusal' } },
      { type: 'delta', block: 0, text: 'No.' },
      { type: 'close', block: 0 },
      { type: 'finish', finish: 'refusal' },
      end,
    ])
    assert.equal(said.choices[0]?.message.refusal, 'No.')
    assert.equal(said.choices[0].finish_reason, 'stop')
  })

  await t.test('fails with the error that ends a stream', async () => {
    const broken = streamed([
      start,
      { type: 'open', block: 0, part: { type: 'text' } },
      { type: 'delta', block: 0, text: 'Hel' },
      { type: 'error', error: { status: 529, message: 'overloaded', type: 'overloaded_error' } },
    ])
    await assert.rejects(
      broken,
      (error) => error instanceof OpenAI.APIError && error.message === 'overloaded',
    )
  })

  await t.test('reads a complete response', async () => {
    const body = completions.encodeReply(
      {
        id: 'r',
        model: 'm',
        parts: [{ type: 'text', text: 'Hi' }],
        finish: 'stop',
        usage: { inputTokens: 1 },
      },
      { model: 'm', includeUsage: true },
      new Losses(),
    )
    const said = await asking('application/json', [JSON.stringify(body)], (client) =>
      client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    )
    assert.equal(said.choices[0]?.message.content, 'Hi')
    // Unknown values are absent, not null.
    assert.deepEqual(said.usage, { prompt_tokens: 1 })
  })
})
