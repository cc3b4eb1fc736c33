import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { llmStreamViolations } from '../../../src/testing/llm-streams/validator.ts'
import { sendRequest } from '../../support/send-request.ts'
import { chunk } from '../../support/llm/completions-stream.ts'
import { type Dialect, dialects, userMessage } from '../../support/llm/model-request.ts'
import { cut, events, type ProviderScript } from '../../support/llm/scripted-providers.ts'
import { type WithProviders, withProviders } from '../../support/llm/with-providers.ts'

const error = `data: ${JSON.stringify({ error: { message: 'The model fell over.', type: 'server_error', code: null } })}\n\n`
const half = chunk('two').slice(0, 30)

/** How streams of Chat Completions break after their first chunk. */
const scripts = {
  'is-cut': events(chunk('One'), cut),
  'is-cut-in-an-event': events(chunk('One'), half, cut),
  'only-ends': events(chunk('One')),
  'ends-in-an-event': events(chunk('One'), half),
  'says-what-is-wrong': events(chunk('One'), error),
  'says-what-is-wrong-and-is-cut': events(chunk('One'), error, cut),
  'turns-to-garbage': events(chunk('One'), 'data: {"oh no\n\n', chunk('three')),
  'turns-to-noise': events(
    chunk('One'),
    Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x0a]),
    Buffer.from('\n\n'),
    cut,
  ),
  'breaks-its-framing': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk('One'), () => response.socket?.end('XYZ\r\nno chunk\r\n'))
  },
  'is-shorter-than-it-says': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '1000' })
    response.write(chunk('One'), () => response.socket?.end())
  },
  'is-reset': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk('One'), () => response.socket?.resetAndDestroy())
  },
} satisfies Record<string, ProviderScript>

/** The end of a broken stream in each format. */
const told: Readonly<Record<Dialect, RegExp>> = {
  completions: /data: \{"error":\{"message":"[^"]+"/,
  messages: /event: error\ndata: \{"type":"error","error":\{"type":"[a-z_]+","message":"[^"]+"/,
  responses: /event: response\.failed\n/,
  generateContent: /data: \{"error":\{"code":\d+,"message":"[^"]+"/,
}

const ends: Readonly<Record<Dialect, RegExp>> = {
  completions: /\[DONE\]/,
  messages: /message_stop/,
  responses: /response\.completed/,
  generateContent: /finishReason/,
}

suite('a broken stream ends with an error in the format of the client', { concurrency: 8 }, () => {
  let all: WithProviders<keyof typeof scripts>
  before(async () => {
    all = await withProviders(scripts)
  })
  after(() => all[Symbol.asyncDispose]())

  for (const dialect of dialects)
    for (const name of Object.keys(scripts))
      test(`${dialect}: if it ${name.replaceAll('-', ' ')}`, async () => {
        const { path, request: asked } = userMessage(dialect, name, 'hi', true)
        const answer = await sendRequest(all.origin, path, { ...asked, signal: AbortSignal.timeout(300_000) })
        assert.equal(answer.status, 200)
        assert.match(answer.text, /One/)
        assert.match(answer.text, told[dialect])
        assert.doesNotMatch(answer.text, ends[dialect])
        // In the provider's own format its events are forwarded unchanged.
        if (dialect !== 'completions' || !name.startsWith('turns'))
          assert.deepEqual(llmStreamViolations(dialect, answer.text), [])
        if (name.startsWith('says')) assert.match(answer.text, /The model fell over\./)
      })
})
