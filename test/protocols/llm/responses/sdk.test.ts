import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import OpenAI, { APIError } from 'openai'
import type { ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { responses } from '../../../../src/protocols/llm/responses/codec.ts'
import { streams } from './golden/streams.ts'
import { writtenStreams } from './golden/written-streams.ts'

const asked = { model: 'asked', includeUsage: true }

/** A server with one response for every client, and a client of the official SDK (`openai` 7.57.0) for it. */
const serve = async (type: string, body: string) => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'k', maxRetries: 0 })
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const serveEvents = (events: readonly ChatEvent[]) => {
  const encoder = responses.encodeStream(asked)
  return serve('text/event-stream', events.map((event) => encoder.encode(event)).join(''))
}

const eventsOf = (name: string): readonly ChatEvent[] => writtenStreams[name]!.events

test('the official SDK', async (t) => {
  await t.test('combines a stream: reasoning, text and overlapping calls', async () => {
    await using place = await serveEvents(eventsOf('a thought, a text and calls that overlap'))
    const stream = place.client.responses.stream({ model: 'm', input: 'x' })
    let deltas = ''
    stream.on('response.output_text.delta', ({ delta }) => (deltas += delta))
    const final = await stream.finalResponse()
    assert.equal(deltas, 'I look.')
    assert.equal(final.output_text, 'I look.')
    assert.equal(final.status, 'completed')
    assert.equal(final.usage?.total_tokens, 29)
    assert.deepEqual(
      final.output.map(({ type }) => type),
      ['reasoning', 'message', 'function_call', 'function_call'],
    )
    const calls = final.output.filter((item) => item.type === 'function_call')
    assert.deepEqual(
      calls.map(({ call_id: id, name, arguments: text }) => [id, name, text]),
      [
        ['toolu_1', 'weather', '{"city":"Rome"}'],
        ['toolu_2', 'now', '{}'],
      ],
    )
  })

  await t.test('combines an incomplete stream', async () => {
    await using place = await serveEvents(eventsOf('hidden thoughts, a refusal, and no more tokens'))
    const final = await place.client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
    assert.equal(final.status, 'incomplete')
    assert.deepEqual(final.incomplete_details, { reason: 'max_output_tokens' })
    assert.deepEqual(
      final.output.map((item) => item.type),
      ['reasoning', 'message'],
    )
  })

  await t.test('combines every stream that was decoded and encoded', async () => {
    for (const [name, { meaning }] of Object.entries(streams)) {
      if (meaning.at(-1)?.type === 'error') continue
      await using place = await serveEvents(meaning)
      const final = await place.client.responses.stream({ model: 'm', input: 'x' }).finalResponse()
      const text = meaning.flatMap((event, i) =>
        event.type === 'delta' && isText(meaning, i) ? [event.text] : [],
      )
      assert.equal(final.output_text, text.join(''), name)
    }
  })

  await t.test('gets the error of a failed stream', async () => {
    await using place = await serveEvents(eventsOf('an error in the middle'))
    const stream = await place.client.responses.create({ model: 'm', input: 'x', stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    const last = events.at(-1)
    assert.ok(last?.type === 'response.failed')
    assert.equal(last.response.error?.message, 'Overloaded')
    assert.equal(last.response.output.length, 1)
  })

  await t.test(
    'throws an error in place of a stream, and one that ends the stream of another provider',
    async () => {
      const before = responses
        .encodeStream(asked)
        .encode({ type: 'error', error: { status: 500, message: 'Boom.' } })
      for (const text of [before, responses.encodeStreamError({ status: 500, message: 'Boom.' })]) {
        await using place = await serve('text/event-stream', text)
        await assert.rejects(
          place.client.responses.stream({ model: 'm', input: 'x' }).finalResponse(),
          (error) => error instanceof APIError && error.message.includes('Boom.'),
        )
      }
    },
  )

  await t.test('reads a complete response', async () => {
    const body = responses.encodeReply(
      {
        id: 'msg_01',
        model: 'claude',
        parts: [
          { type: 'text', text: 'Hello ' },
          { type: 'text', text: 'there.' },
          { type: 'toolCall', id: 'c', name: 'f', arguments: '{}' },
        ],
        finish: 'toolCalls',
        usage: { inputTokens: 3, outputTokens: 4 },
      },
      asked,
      new Losses(),
    )
    await using place = await serve('application/json', JSON.stringify(body))
    const reply = await place.client.responses.create({ model: 'm', input: 'x' })
    assert.equal(reply.output_text, 'Hello there.')
    assert.equal(reply.id, 'resp_msg_01')
    assert.equal(reply.usage?.total_tokens, 7)
  })
})

const isText = (events: readonly ChatEvent[], i: number): boolean => {
  const delta = events[i] as ChatEvent & { type: 'delta' }
  return events.some(
    (event) => event.type === 'open' && event.block === delta.block && event.part.type === 'text',
  )
}
