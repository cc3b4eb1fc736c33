import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  callModel,
  type ClientFormat,
  completions,
  messages,
  responses,
} from '../../support/llm/client-formats.ts'
import {
  cut,
  events,
  json,
  type ScriptedProviders,
  startProviders,
} from '../../support/llm/scripted-providers.ts'
import { chunk, completion, ending } from '../../support/llm/completions-stream.ts'

const busy = json(503, { error: { message: 'Later.', type: 'server_error' } })

/** Responds differently the first two times. */
const thirdTime = (first: typeof busy, then: typeof busy): typeof busy => {
  let n = 0
  return (...call) => {
    ;(++n % 3 === 0 ? then : first)(...call)
  }
}

suite('the policy retry for a model', () => {
  let providers: ScriptedProviders<'whole' | 'stream' | 'broken'>
  let daemon: Daemon
  before(async () => {
    providers = await startProviders({
      whole: thirdTime(busy, json(200, completion('Hello.'))),
      stream: thirdTime(busy, events(chunk('Hi.'), ending())),
      broken: events(chunk('Hi'), cut),
    })
    const route = (name: 'whole' | 'stream' | 'broken') => ({
      matches: [{ path: { pathPrefix: '/' }, headers: [{ name: 'x-to', value: { exact: name } }] }],
      policies: {
        retry: { attempts: 3, codes: [503], backoff: '1ms' },
        ai: {
          routes: {
            '/v1/chat/completions': 'completions',
            '/v1/messages': 'messages',
            '/v1/responses': 'responses',
          },
        },
      },
      backends: [
        {
          ai: {
            name,
            hostOverride: new URL(providers.baseUrl(name)).host,
            pathPrefix: `/${name}/v1`,
            provider: { custom: { formats: [{ type: 'completions' }], model: 'theirs' } },
          },
        },
      ],
    })
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes: ${JSON.stringify([route('whole'), route('stream'), route('broken')])}
`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await providers[Symbol.asyncDispose]()
  })

  const formats: readonly ClientFormat[] = [completions, messages, responses]
  for (const [i, format] of formats.entries())
    for (const name of ['whole', 'stream'] as const)
      test(`sends the same request until it succeeds: ${format.name}, ${name}`, async () => {
        const answer = await callModel(daemon.url('default'), format, 'm', {
          headers: { 'x-to': name },
          fields: { stream: name === 'stream' },
        })
        assert.equal(answer.status, 200, answer.text)
        assert.match(answer.text, name === 'whole' ? /Hello\./ : /Hi\./)
        const asked = providers.asked(name).slice(i * 3)
        assert.deepEqual(
          asked.map(({ body }) => body.toString()),
          Array.from({ length: 3 }, () => asked[0]?.body.toString()),
        )
        assert.match(asked[0]?.body.toString() ?? '', /"model":"theirs"/)
      })

  test('records every attempt in the metrics', async () => {
    // The log line of a reply is written after it is counted.
    await daemon.printed(/(?:request\.model=[^]*){6}/)
    const { text } = await sendRequest(daemon.url('stats'), '/metrics')
    const counts = [...text.matchAll(/^agentgateway_gen_ai_server_request_duration_count\{.*\} (\d+)$/gm)]
    assert.equal(
      counts.reduce((sum, [, count]) => sum + Number(count), 0),
      18,
      text,
    )
  })

  test('does not retry once a stream has begun', async () => {
    const answer = await callModel(daemon.url('default'), messages, 'm', {
      headers: { 'x-to': 'broken' },
      fields: { stream: true },
    })
    assert.match(answer.text, /event: error/)
    assert.equal(providers.asked('broken').length, 1)
  })
})
