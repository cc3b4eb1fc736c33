import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { llmStreamViolations } from '../../../../src/testing/index.ts'
import { receivedEvents, cells, goldenJson, goldenText, hasGolden, providerBytes } from './goldens.ts'
import { assertLike, assertStreamLike } from './assert-like.ts'
import { clientRequest, translated } from './translate.ts'

test('the table of translations', async (t) => {
  await t.test('has a golden for each of its cells', () => {
    const files = ['request.json', 'losses.json', 'reply.json', 'stream.sse']
    const missing = cells.flatMap(({ name }) => files.filter((file) => !hasGolden(`${name}/${file}`)))
    assert.deepEqual(missing, [])
    assert.equal(cells.length, 10)
  })
})

for (const cell of cells) {
  const { client, provider, name } = cell
  test(`a client of ${client} with a provider of ${provider}`, async (t) => {
    // Ids and times that the provider does not send.
    t.mock.timers.enable({ apis: ['Date'], now: 1_700_000_000_000 })
    t.mock.method(globalThis.crypto, 'randomUUID', () => '01234567-89ab-4def-8123-456789abcdef')

    await t.test('sends the translated request, with the reported losses', () => {
      const losses = new Losses()
      const body = goldenJson(`formats/${client}/request.json`)
      const request = codecs[client].decodeRequest(body, { model: 'chat-model', streaming: true }, losses)
      // Whether a model thinks depends on its name; this one does.
      const model = provider === 'converse' ? 'anthropic.claude-1' : request.model
      const sent = codecs[provider].encodeRequest({ ...request, model }, losses)
      assertLike(JSON.parse(JSON.stringify(sent)), goldenJson(`${name}/request.json`))
      assert.deepEqual(losses.fields.toSorted(), goldenJson(`${name}/losses.json`))
    })

    await t.test('gets a response', () => {
      const losses = new Losses()
      const reply = codecs[provider].decodeReply(goldenJson(`formats/${provider}/reply.json`), losses)
      const written = codecs[client].encodeReply(reply, clientRequest, losses)
      assertLike(JSON.parse(JSON.stringify(written)), goldenJson(`${name}/reply.json`))
      assert.deepEqual(losses.fields, [])
    })

    await t.test('gets a stream', () => {
      const text = translated(cell, receivedEvents(provider, [providerBytes(provider)]))
      assertStreamLike(text, goldenText(`${name}/stream.sse`))
      assert.deepEqual(llmStreamViolations(client, text), [])
    })

    await t.test('gets the same stream however it is split', () => {
      const bytes = providerBytes(provider)
      const whole = translated(cell, receivedEvents(provider, [bytes]))
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 100 }), (cuts) => {
          const ends = [...cuts.toSorted((one, other) => one - other), bytes.length]
          const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
          assert.equal(translated(cell, receivedEvents(provider, chunks)), whole)
        }),
      )
      const single = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))
      assert.equal(translated(cell, receivedEvents(provider, single)), whole)
    })
  })
}

test('golden streams', async (t) => {
  for (const format of ['completions', 'messages', 'responses', 'generateContent'] as const)
    await t.test(`of ${format} are valid`, () => {
      assert.deepEqual(llmStreamViolations(format, providerBytes(format)), [])
      for (const { client, name } of cells)
        if (client === format)
          assert.deepEqual(llmStreamViolations(client, goldenText(`${name}/stream.sse`)), [])
    })
})
