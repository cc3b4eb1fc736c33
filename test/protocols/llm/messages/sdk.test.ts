import Anthropic, { APIError } from '@anthropic-ai/sdk'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { messages } from '../../../../src/protocols/llm/messages/codec.ts'
import { goldens, goldenStreams } from './golden.ts'

interface Answer {
  readonly status?: number
  readonly type: string
  readonly text: string
}

const asked = { model: 'm', includeUsage: true }

const streamOf = (events: readonly ChatEvent[]): Answer => {
  const encoder = messages.encodeStream(asked)
  return { type: 'text/event-stream', text: events.map((event) => encoder.encode(event)).join('') }
}

test('the official client', async (t) => {
  let answer: Answer
  let server: Server
  let client: Anthropic

  before(async () => {
    server = createServer((_, response) => {
      response.writeHead(answer.status ?? 200, { 'content-type': answer.type })
      response.end(answer.text)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    client = new Anthropic({ baseURL: `http://127.0.0.1:${port}`, apiKey: 'k', maxRetries: 0 })
  })

  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const params = { model: 'm', max_tokens: 10, messages: [{ role: 'user' as const, content: 'a' }] }
  const stream = (events: readonly ChatEvent[]) => {
    answer = streamOf(events)
    return client.messages.stream(params).finalMessage()
  }

  const streamed: Record<string, readonly unknown[]> = {
    text: [{ type: 'text', text: 'Hello! Grüße 🌞\n"quoted"' }],
    tools: [
      { type: 'text', text: 'I will look.' },
      {
        type: 'tool_use',
        id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
        name: 'get_weather',
        input: { location: 'Oslo' },
      },
      { type: 'tool_use', id: 'toolu_02', name: 'now', input: {} },
    ],
    thinking: [
      {
        type: 'thinking',
        thinking: 'First I add.',
        signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds',
      },
      { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIw' },
      { type: 'thinking', thinking: '', signature: 'only signed' },
      { type: 'text', text: '42' },
    ],
    'pause-with-server-tools': [{ type: 'text', text: 'So far this.' }],
    refusal: [{ type: 'text', text: 'No malware.' }],
  }

  for (const { name, events } of goldenStreams()) {
    const content = streamed[name]
    if (!content) continue
    await t.test(`combines the stream ${name}`, async () => {
      const message = await stream(events)
      assert.deepEqual(JSON.parse(JSON.stringify(message.content)), content)
    })
  }

  await t.test('gets the stop reason and the usage', async () => {
    const { events } = goldenStreams().find(({ name }) => name === 'text')!
    const { stop_reason, usage } = await stream(events)
    assert.deepEqual(
      [stop_reason, usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens],
      ['end_turn', 25, 1000, 15],
    )
  })

  await t.test('combines overlapping calls', async () => {
    const { content } = await stream([
      { type: 'start', id: 'i', model: 'm' },
      { type: 'open', block: 0, part: { type: 'toolCall', id: 'a', name: 'f' } },
      { type: 'open', block: 1, part: { type: 'toolCall', id: 'b', name: 'g' } },
      { type: 'delta', block: 1, text: '{"b":' },
      { type: 'delta', block: 0, text: '{"a":1}' },
      { type: 'delta', block: 1, text: '2}' },
      { type: 'close', block: 1 },
      { type: 'close', block: 0 },
      { type: 'finish', finish: 'toolCalls' },
      { type: 'end' },
    ])
    assert.deepEqual(
      content.map((block) => block.type === 'tool_use' && [block.id, block.name, block.input]),
      [
        ['a', 'f', { a: 1 }],
        ['b', 'g', { b: 2 }],
      ],
    )
  })

  for (const name of ['error', 'cut'])
    await t.test(`throws at the stream ${name}`, async () => {
      const { events } = goldenStreams().find((golden) => golden.name === name)!
      await assert.rejects(stream(events), (thrown) => {
        assert.ok(thrown instanceof APIError)
        assert.equal(thrown.type, name === 'error' ? 'overloaded_error' : 'api_error')
        return true
      })
    })

  await t.test('reads complete responses', async () => {
    for (const { common, wire, written, readOnly } of goldens('replies')) {
      if (readOnly !== undefined) continue
      const body = messages.encodeReply(common as unknown as ChatReply, asked, new Losses())
      answer = { type: 'application/json', text: JSON.stringify(body) }
      const message = await client.messages.create(params)
      assert.deepEqual(message.content, (written ?? wire).content)
    }
  })

  await t.test('throws errors of the right class', async () => {
    const kinds = [
      [400, Anthropic.BadRequestError],
      [401, Anthropic.AuthenticationError],
      [403, Anthropic.PermissionDeniedError],
      [404, Anthropic.NotFoundError],
      [429, Anthropic.RateLimitError],
    ] as const
    for (const [status, Kind] of kinds) {
      const text = JSON.stringify(messages.encodeError({ status, message: 'the reason' }))
      answer = { status, type: 'application/json', text }
      await assert.rejects(client.messages.create(params), (thrown) => {
        assert.ok(thrown instanceof Kind)
        assert.match(thrown.message, /the reason/)
        return true
      })
    }
  })
})
