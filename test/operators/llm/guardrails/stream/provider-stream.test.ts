import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { PassthroughStream } from '../../../../../src/operators/llm/reply/passthrough-stream.ts'
import { DeferredEnd } from '../../../../../src/operators/llm/guardrails/stream/deferred-end.ts'
import { GuardedStream } from '../../../../../src/operators/llm/guardrails/stream/guarded-stream.ts'
import type { GuardStreaming } from '../../../../../src/operators/llm/guardrails/schema/normal-form.ts'
import type { Guard } from '../../../../../src/operators/llm/guardrails/guard.ts'
import { codecs } from '../../../../../src/protocols/llm/codecs.ts'
import type { StreamTexts } from '../../../../../src/protocols/llm/texts/text-slot.ts'
import type { JsonObject } from '../../../../../src/protocols/json/json-object.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { ManualBody } from '../../../../../src/testing/manual-body.ts'
import { manualGuard, rejection, settle, ToyClient, windows, wordGuard } from './toy-stream.ts'

/** The text in chat completions. */
const texts: StreamTexts = {
  read: (_name, data) => {
    const [choice] = (data?.choices ?? []) as { delta?: JsonObject; finish_reason?: unknown }[]
    const delta = choice?.delta
    const text = delta?.content
    return {
      pieces:
        delta && typeof text === 'string'
          ? [
              {
                channel: '0',
                role: 'assistant',
                scope: 'messages',
                text,
                set: (now) => (delta.content = now),
              },
            ]
          : [],
      wholes: [],
      closes: choice?.finish_reason ? 'all' : [],
    }
  },
}

const delta = (content: string) =>
  `data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":null}]}\n\n`
const stop = 'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
const usage =
  'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}\n\n'
const done = 'data: [DONE]\n\n'

/** A provider's stream in the client's own format behind a guard. */
const behind = (guard: Guard, streaming: GuardStreaming = windows) => {
  const told: string[] = []
  const watch = new DeferredEnd({
    began: () => told.push('began'),
    ended: ({ usage: used }, outcome) => told.push(`${outcome} ${String(used?.totalTokens)}`),
  })
  const provider = new ManualBody()
  const codec = codecs.completions
  const passed = new PassthroughStream(provider, {
    attributes: codec.streamAttributes(),
    watch,
    limitBytes: 1024 * 1024,
    filter: undefined,
    encodeError: (error) => codec.encodeStreamError(error),
  })
  const x = exchange()
  const stream = new GuardedStream(passed, {
    x,
    texts,
    guards: [guard],
    kept: [undefined],
    streaming,
    reply: undefined,
    onGuardEnd: () => undefined,
    limitBytes: 1024 * 1024,
    encodeError: (error) => codec.encodeStreamError(error),
    over: () => {
      watch.release()
    },
  })
  const client = new ToyClient()
  stream.pipe(client)
  return { provider, stream, client, told, x }
}

test('a guarded stream of a provider', async (t) => {
  await t.test('is over when its client has all of it, and counts what it used', async () => {
    const guard = manualGuard()
    const { provider, client, told, stream } = behind(guard)
    assert.equal(stream.reportsFailure, true)
    provider.send(delta('hi')).send(stop).send(usage).send(done).end()
    await settle()
    assert.deepEqual(told, ['began'])
    guard.at(0).resolve()
    await settle()
    assert.equal(client.text, delta('hi') + stop + usage + done)
    assert.deepEqual([told, client.ended], [['began', 'answered 5'], true])
  })

  await t.test('is cancelled when it is blocked, and its usage until then is counted', async () => {
    const guard = manualGuard()
    const { provider, client, told } = behind(guard)
    provider.send(delta('x'.repeat(1024)) + usage)
    await settle()
    assert.equal(provider.dropped, false)
    guard.at(0).resolve({ action: 'reject', rejection })
    await settle()
    assert.equal(provider.dropped, true)
    assert.deepEqual(told, ['began', 'abandoned 5'])
    assert.match(client.text, /^data: \{"error":\{.*"type":"guardrail_blocked".*\n\n$/)
    assert.match(client.text, /"code":"guardrail_intervention"/)
    assert.match(client.text, /"message":"not with me"/)
  })

  await t.test('that breaks off ends with an error after the cleared events', async () => {
    for (const streaming of [windows, { mode: 'Buffer' }] as const) {
      const guard = manualGuard()
      const { provider, client, told } = behind(guard, streaming)
      provider.send(delta('a'))
      await settle()
      provider.fail(new Error('reset'))
      await settle()
      assert.deepEqual([client.text, told], ['', ['began']])
      guard.at(0).resolve()
      await settle()
      assert.ok(client.text.startsWith(`${delta('a')}data: {"error":`))
      assert.deepEqual([client.ended, told], [true, ['began', 'cut undefined']])
    }
  })

  await t.test('is cancelled when its client disconnects', async () => {
    for (const leave of ['cancel', 'abandon', 'drop'] as const) {
      const guard = manualGuard()
      const { provider, stream, x, told, client } = behind(guard)
      provider.send(delta('a') + usage)
      await settle()
      if (leave === 'cancel') x.cancel()
      else stream[leave]()
      assert.deepEqual(told, ['began', 'abandoned 5'])
      assert.equal(provider.dropped, leave !== 'abandon')
      assert.deepEqual([client.text, client.ended], ['', false])
    }
  })

  await t.test('sends its client keep-alives while it is pending, and only its own', async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      const guard = manualGuard()
      const { provider, client } = behind(guard)
      mock.timers.tick(15_000)
      assert.equal(client.text, ': keep-alive\n\n')
      provider.send(delta('a') + stop)
      await settle()
      mock.timers.tick(15_000)
      assert.equal(client.text, ': keep-alive\n\n: keep-alive\n\n')
      guard.at(0).resolve()
      await settle()
      mock.timers.tick(10_000)
      provider.send(done).end()
      await settle()
      mock.timers.tick(60_000)
      assert.equal(client.text, `: keep-alive\n\n: keep-alive\n\n${delta('a')}${stop}${done}`)
    } finally {
      mock.timers.reset()
    }
  })

  await t.test('is masked in its own format', async () => {
    const { provider, client } = behind(wordGuard('abba', 'mask'))
    provider
      .send(delta('ab') + delta('ba'))
      .send(stop + done)
      .end()
    await settle()
    assert.equal(client.text, delta('[abba]') + delta('') + stop + done)
  })
})
