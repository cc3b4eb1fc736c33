import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { llmStreamViolations } from '../../../src/testing/llm-streams/validator.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyLag } from '../../support/any-lag.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'
import {
  cut,
  events,
  json,
  never,
  type ProviderScript,
  raw,
  type ScriptedProviders,
  startProviders,
} from '../../support/llm/scripted-providers.ts'

const overloaded = { error: { message: 'SECRET of the first', type: 'server_error', code: null } }
const errorEvent = `data: ${JSON.stringify(overloaded)}\n\n`

/** How a provider may fail before it has sent any content, whole or as a stream. */
const failures = {
  'refuses the key': json(401, overloaded),
  'forbids it': json(403, overloaded),
  'has no such model': json(404, overloaded),
  'gave up waiting': json(408, overloaded),
  'is asked too often': json(429, overloaded, { 'retry-after': '30' }),
  'is broken': json(500, overloaded),
  'is broken without JSON': (response) =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>SECRET</h1>'),
  'is overloaded': json(503, overloaded),
  'is overloaded in the way of Anthropic': json(529, overloaded),
  'hangs up': (response) => response.destroy(),
  'says no HTTP': raw('SECRET garbage\r\n\r\n'),
  'breaks off its head': raw('HTTP/1.1 200 OK\r\ncontent-ty'),
  'sends elsewhere': json(307, overloaded, { location: 'http://127.0.0.1:1/SECRET' }),
} satisfies Record<string, ProviderScript>

const streamFailures = {
  'begins with an error': events(errorEvent, cut),
  'begins with an error in pieces': events(
    errorEvent.slice(0, 9),
    errorEvent.slice(9, 40),
    errorEvent.slice(40),
  ),
  'begins with an error after comments': events(': SECRET\n\n', ': SECRET\n\n', errorEvent),
  'ends a stream before it begins': events(),
  'ends a stream after a comment': events(': SECRET\n\n'),
  'breaks off a stream before it begins': events(cut),
  'breaks off a stream inside of its first event': events('data: {"SECRET', cut),
  'begins a stream with what is none': events('data: SECRET\n\n'),
} satisfies Record<string, ProviderScript>

const slow = {
  'says nothing': () => undefined,
  'says nothing after its head': events(never),
  'says comments only': (response, request, body) => {
    const beat = setInterval(() => response.write(': SECRET\n\n'), 20)
    response.on('close', () => clearInterval(beat))
    events(': SECRET\n\n', never)(response, request, body)
  },
} satisfies Record<string, ProviderScript>

const scripts: Readonly<Record<string, ProviderScript>> = Object.fromEntries(
  Object.entries({ ...failures, ...streamFailures, ...slow }).map(([name, script]) => [idOf(name), script]),
)

function idOf(name: string): string {
  return name.replaceAll(' ', '-').toLowerCase()
}

suite('a virtual model is served by the first working target', { concurrency: 8 }, () => {
  let providers: ScriptedProviders<string>
  let daemon: Daemon
  before(async () => {
    providers = await startProviders(scripts)
    const copies = Object.keys(scripts).flatMap((id) => dialects.map((dialect) => ({ id, dialect })))
    daemon = await startDaemon(`${anyPorts}${anyLag}
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models: ${JSON.stringify([
    ...copies.map(({ id, dialect }) => ({
      name: `${id}-${dialect}`,
      provider: { custom: { formats: [{ type: 'completions' }] } },
      params: { baseUrl: providers.baseUrl(id), firstTokenTimeout: id.startsWith('says-') ? '200ms' : '60s' },
    })),
    { name: 'second', provider: 'mock' },
    { name: 'dead', provider: 'openai', params: { baseUrl: 'http://127.0.0.1:1/v1' } },
  ])}
  virtualModels: ${JSON.stringify(
    [...copies.map(({ id, dialect }) => `${id}-${dialect}`), 'dead'].map((model) => ({
      name: `safe-${model}`,
      routing: {
        failover: {
          targets: [
            { model, priority: 0 },
            { model: 'second', priority: 1 },
          ],
        },
      },
    })),
  )}
`)
  })
  after(async () => {
    await daemon[Symbol.asyncDispose]()
    await providers[Symbol.asyncDispose]()
  })

  const answered = async (dialect: (typeof dialects)[number], model: string, stream: boolean) => {
    const { path, request: asked } = userMessage(dialect, model, 'mock:say Here I am.', stream)
    const answer = await sendRequest(daemon.url('default'), path, {
      ...asked,
      signal: AbortSignal.timeout(300_000),
    })
    assert.equal(answer.status, 200, answer.text)
    assert.doesNotMatch(answer.text, /SECRET/)
    assert.match(answer.text, /Here/)
    assert.equal(answer.headers['retry-after'], undefined)
    if (stream) assert.deepEqual(llmStreamViolations(dialect, answer.text), [])
  }

  for (const dialect of dialects) {
    for (const name of Object.keys(failures))
      test(`in ${dialect}, if the first ${name}`, async () => {
        const model = `safe-${idOf(name)}-${dialect}`
        await answered(dialect, model, false)
        await answered(dialect, model, true)
      })
    for (const name of [...Object.keys(streamFailures), ...Object.keys(slow)])
      test(`in ${dialect}, if the first ${name}`, () =>
        answered(dialect, `safe-${idOf(name)}-${dialect}`, true))
    test(`in ${dialect}, if the first is unreachable`, async () => {
      await answered(dialect, 'safe-dead', false)
      await answered(dialect, 'safe-dead', true)
    })
  }
})
