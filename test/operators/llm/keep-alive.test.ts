import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { Body, BodySink } from '../../../src/model/exchange/body.ts'
import { eventsOf } from '../../../src/operators/llm/reply/event-readers.ts'
import { PassthroughStream } from '../../../src/operators/llm/reply/passthrough-stream.ts'
import { TranslatedStream } from '../../../src/operators/llm/reply/translated-stream.ts'
import { codecs } from '../../../src/protocols/llm/codecs.ts'
import { llmStreamViolations, ManualBody } from '../../../src/testing/index.ts'
import { chunk, ending } from '../../support/llm/completions-stream.ts'

const watch = { began: () => undefined, ended: () => undefined }
const limitBytes = 1024 * 1024

const streams = {
  'passes as it is': (source: Body): Body => {
    const attributes = codecs.completions.streamAttributes()
    const encodeError = () => ''
    return new PassthroughStream(source, { attributes, watch, limitBytes, filter: undefined, encodeError })
  },
  'is translated': (source: Body): Body =>
    new TranslatedStream(source, {
      decoder: codecs.completions.decodeStream(),
      encoder: codecs.messages.encodeStream({ model: 'm', includeUsage: true }),
      watch,
      events: eventsOf('sse', limitBytes),
    }),
}
const formatOf = { 'passes as it is': 'completions', 'is translated': 'messages' } as const

/** What a client reads of a stream from a provider that the test plays. */
const read = (make: (source: Body) => Body) => {
  const provider = new ManualBody()
  const heard = { text: '', hasEnded: false }
  const to: BodySink = {
    write(bytes) {
      heard.text += Buffer.from(bytes).toString()
      return true
    },
    end: () => (heard.hasEnded = true),
    fail: () => undefined,
    onDrain: () => undefined,
  }
  const body = make(provider)
  body.pipe(to)
  return { provider, heard, body }
}

const comment = ': keep-alive\n\n'
const comments = (text: string): number => text.split(comment).length - 1
const turn = (): Promise<void> => Promise.resolve()

suite('a stream with a slow provider', () => {
  const quietly = (t: TestContext): ((seconds: number) => void) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    return (seconds) => {
      t.mock.timers.tick(seconds * 1_000)
    }
  }

  for (const [name, make] of Object.entries(streams) as [keyof typeof streams, (source: Body) => Body][]) {
    test(`with ${name} gets comments before its first event`, (t) => {
      const pass = quietly(t)
      const { heard, body } = read(make)
      pass(60)
      assert.equal(heard.text, comment.repeat(4))
      body.drop()
      pass(60)
      assert.equal(heard.text, comment.repeat(4))
    })

    test(`with ${name} gets comments between events, never inside one, and stays valid`, async (t) => {
      const pass = quietly(t)
      const { provider, heard } = read(make)
      const events = chunk('Good morning.') + ending()
      for (let i = 0; i < events.length; i += 25) {
        provider.send(events.slice(i, i + 25))
        await turn()
        pass(20)
      }
      provider.end()
      await turn()
      assert.ok(comments(heard.text) >= 20, heard.text)
      assert.ok(heard.hasEnded)
      assert.deepEqual(llmStreamViolations(formatOf[name], heard.text), [])
      const { provider: other, heard: without } = read(make)
      other.send(events).end()
      await turn()
      const same = (text: string) => text.replaceAll(comment, '').replaceAll(/msg_[\w-]+/g, 'msg')
      assert.equal(same(heard.text), same(without.text))
    })

    test(`with ${name} gets none after its end`, async (t) => {
      const pass = quietly(t)
      const { provider, heard } = read(make)
      provider.send(chunk('Hi.') + ending()).end()
      await turn()
      const { text } = heard
      pass(120)
      assert.equal(heard.text, text)
      assert.equal(comments(text), 0)
    })
  }
})
