import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { type CountingService, startCounting } from '../../support/rate-limit-service.ts'

const route = (name: string, at: string, descriptors: string, provider: string): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name} } }]
    policies: { remoteRateLimit: { host: "${at}", domain: llm, descriptors: [${descriptors}] } }
    backends: [{ ai: ${provider} }]`

const byRoute = '{ entries: [{ key: route, value: proxy.route.name }], type: tokens }'
const mock = '{ name: mock, provider: { mock: {} } }'
const tokenized = '{ name: mock, provider: { mock: {} }, tokenize: true }'

suite('shared token limits', () => {
  let daemon: Daemon
  let service: CountingService
  before(async () => {
    service = await startCounting(100)
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { port: 0, address: 127.0.0.1 }
routes:
${route('plain', service.host, byRoute, mock)}
${route('stream', service.host, byRoute, mock)}
${route('counted', service.host, byRoute, tokenized)}
${route('failed', service.host, byRoute, tokenized)}
${route('costly', service.host, `{ entries: [{ key: route, value: proxy.route.name }], type: tokens, cost: "llm.inputTokens + 10 * llm.outputTokens" }`, mock)}
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await service[Symbol.asyncDispose]()
  })
  beforeEach(() => {
    service.heard.length = 0
  })

  const chat = (name: string, content: string, more: object = {}): Promise<ReceivedResponse> =>
    sendRequest(daemon.url('default'), `/${name}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more }),
    })

  /** Waits for this many calls, and returns the hits of each. */
  const counted = async (calls: number): Promise<(number | undefined)[]> => {
    const began = performance.now()
    while (service.heard.length < calls) {
      assert.ok(performance.now() - began < 60_000, `${String(service.heard.length)} calls`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return service.heard.map(({ descriptors: [one] }) => {
      const hits = one?.hitsAddend === undefined ? undefined : Number(one.hitsAddend)
      return one?.isNegativeHits && hits !== undefined ? -hits : hits
    })
  }

  test('count nothing before the reply, and then its usage, under the same descriptors', async () => {
    assert.equal((await chat('plain', 'mock:usage 70 20')).status, 200)
    assert.deepEqual(await counted(2), [0, 90])
    const [before, after] = service.heard
    assert.deepEqual(after?.descriptors[0]?.entries, before?.descriptors[0]?.entries)
    assert.equal((await chat('plain', 'mock:usage 20 5')).headers['x-ratelimit-remaining'], '10')
    await counted(4)
    const refused = await chat('plain', 'hi')
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '42'])
    assert.deepEqual(await counted(5), [0, 90, 0, 25, 0])
  })

  test('count the usage of a stream', async () => {
    assert.equal((await chat('stream', 'mock:usage 30 3', { stream: true })).status, 200)
    assert.deepEqual(await counted(2), [0, 33])
  })

  test('count the prompt before the reply if configured', async () => {
    assert.equal((await chat('counted', 'one two three mock:usage 12 8')).status, 200)
    const [check, prompt = 0, rest = 0] = await counted(3)
    assert.equal(check, 0)
    assert.ok(prompt > 9, String(prompt))
    assert.equal(prompt + rest, 20)
    const long = await chat('counted', 'word '.repeat(200))
    assert.equal(long.status, 429)
    const all = await counted(6)
    assert.equal(all[4], -(all[5] ?? 0))
    assert.equal((await chat('counted', 'mock:usage 1 1')).status, 200)
    await counted(9)
  })

  test('release the prompt tokens of an error', async () => {
    assert.equal((await chat('failed', 'mock:error 503 busy')).status, 503)
    const [, prompt = 0, back] = await counted(3)
    assert.equal(back, -prompt)
  })

  test('count the cost from an expression', async () => {
    assert.equal((await chat('costly', 'mock:usage 7 2')).status, 200)
    assert.deepEqual(await counted(2), [0, 27])
  })
})
