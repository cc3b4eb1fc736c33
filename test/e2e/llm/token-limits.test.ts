import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { type ReceivedResponse, sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import {
  json,
  type ProviderScript,
  startProviders,
  type ScriptedProviders,
} from '../../support/llm/scripted-providers.ts'

const body = (content: string, more: object = {}): string =>
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], ...more })

const post = (daemon: Daemon, target: string, text: string): Promise<ReceivedResponse> =>
  sendRequest(daemon.url('default'), target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: text,
  })

const told = ({ status, headers }: ReceivedResponse) => [
  status,
  headers['x-ratelimit-limit'],
  headers['x-ratelimit-remaining'],
]

/** The remaining tokens of a route's limit, by a request that uses none. */
const left = async (daemon: Daemon, name: string): Promise<number> =>
  Number((await post(daemon, `/${name}/v1/chat/completions`, 'no json')).headers['x-ratelimit-remaining'])

const limited = (maxTokens: number, fillInterval = '1000s', perFill = maxTokens): string =>
  `localRateLimit: [{ maxTokens: ${maxTokens}, tokensPerFill: ${perFill}, fillInterval: ${fillInterval}, type: tokens }]`

/** A route to providers under its own path. */
const route = (name: string, policies: string, ai: string): string => `
  - name: ${name}
    matches: [{ path: { pathPrefix: /${name}/ } }]
    policies: { ${policies}, ai: { routes: { /v1/messages: messages, '*': completions } } }
    backends: [{ ai: ${ai} }]`

const mock = '{ name: mock, provider: { mock: {} } }'
const mockOf = (format: string) => `{ name: mock, provider: { mock: { formats: [${format}] } } }`
const custom = (name: string, host: string, more = '') =>
  `{ name: ${name}, hostOverride: "${host}", pathOverride: /${name}, provider: { custom: { formats: [{ type: completions }] } }${more} }`

const chunk = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const said = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
const word = chunk({ ...said, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' } }] })

/** Begins a stream without usage, and then stays silent. */
const begins: ProviderScript = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(word)
}
/** Never responds. */
const silent: ProviderScript = () => undefined
/** Begins a message, which includes the usage of the prompt. */
const messageBegins: ProviderScript = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const usage = { input_tokens: 40, output_tokens: 1 }
  const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm', content: [], usage }
  response.write(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`)
}

const scripts = { begins, silent, messageBegins, busy: json(503, { error: { message: 'busy' } }) }

suite('token limits', () => {
  let daemon: Daemon
  let providers: ScriptedProviders<keyof typeof scripts>
  before(async () => {
    providers = await startProviders(scripts)
    const host = new URL(providers.baseUrl('begins')).host
    const tokenized = (name: string) => custom(name, host, ', tokenize: true')
    const messages = `{ name: messageBegins, hostOverride: "${host}", pathOverride: /messageBegins, provider: { custom: { formats: [{ type: messages }] } } }`
    daemon = await startDaemon(`${anyPorts}
gateways:
  default: { address: 127.0.0.1, port: 0 }
routes:
${route('whole', limited(100), mock)}
${route('stream', limited(100), mock)}
${route('translated', limited(100), mockOf('messages'))}
${route('refill', limited(20, '5s', 20), mock)}
${route('counted', limited(60), '{ name: mock, provider: { mock: {} }, tokenize: true }')}
${route('silent', limited(100), tokenized('silent'))}
${route('begins', limited(100), tokenized('begins'))}
${route('messageBegins', limited(100), messages)}
${route('busy', limited(100), tokenized('busy'))}
${route('failover', limited(100), `{ groups: [{ providers: [${tokenized('busy')}] }, { providers: [${mock}] }] }`)}
${route('both', `localRateLimit: [{ maxTokens: 2, tokensPerFill: 2, fillInterval: 1000s }, { maxTokens: 100, tokensPerFill: 100, fillInterval: 1000s, type: tokens }]`, mock)}
${route('gone', limited(100), custom('gone', '127.0.0.1:1', ', tokenize: true'))}
`)
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    await providers[Symbol.asyncDispose]()
  })

  const chat = (name: string, content: string, more: object = {}): Promise<ReceivedResponse> =>
    post(daemon, `/${name}/v1/chat/completions`, body(content, more))

  /** Waits for what follows the end of a reply or a connection. */
  const until = async (name: string, expected: number): Promise<void> => {
    const began = performance.now()
    for (;;) {
      const now = await left(daemon, name)
      if (now === expected) return
      assert.ok(performance.now() - began < 60_000, `${String(now)} left of ${name}`)
    }
  }

  /** Sends a request, and leaves as soon as `when` has happened. */
  const leave = (
    name: string,
    content: string,
    when: (soon: () => void) => void,
    path = 'chat/completions',
    more: object = { stream: true },
  ) =>
    new Promise<void>((resolve) => {
      const { hostname, port } = new URL(daemon.url('default'))
      const req = request(
        { hostname, port, path: `/${name}/v1/${path}`, method: 'POST', agent: false },
        (response) => {
          response.on('error', () => undefined)
          response.once('data', () => {
            reset()
          })
        },
      )
      // A client that only half-closes might still read.
      const reset = () => {
        req.socket?.resetAndDestroy()
      }
      req.on('error', () => undefined)
      req.on('close', resolve)
      when(reset)
      req.end(body(content, more))
    })

  /** Leaves when the provider has been called. */
  const onceAsked = (name: keyof typeof scripts) => (soon: () => void) => {
    const before = providers.asked(name).length
    const look = (): void => {
      if (providers.asked(name).length > before) soon()
      else setImmediate(look)
    }
    look()
  }
  const never = (): void => undefined

  test('charge the usage of a whole response, and refuse requests when nothing is left', async () => {
    assert.deepEqual(told(await chat('whole', 'mock:usage 50 20')), [200, '100', '100'])
    assert.deepEqual(told(await chat('whole', 'mock:usage 60 20')), [200, '100', '30'])
    const refused = await chat('whole', 'mock:usage 1 1')
    assert.deepEqual(told(refused), [429, '100', '0'])
    assert.deepEqual(
      (JSON.parse(refused.text) as { error: { message: string } }).error.message,
      'rate limit exceeded',
    )
    assert.match(String(refused.headers['retry-after']), /^(99\d|1000)$/)
  })

  test('charge the usage of a stream', async () => {
    const answer = await chat('stream', 'mock:usage 50 20', { stream: true })
    assert.deepEqual(told(answer), [200, '100', '100'])
    assert.match(answer.text, /\[DONE\]/)
    await until('stream', 30)
  })

  test('charge the usage of a translated response, streams too', async () => {
    assert.equal((await chat('translated', 'mock:usage 30 20')).status, 200)
    await until('translated', 50)
    assert.equal((await chat('translated', 'mock:usage 10 10', { stream: true })).status, 200)
    await until('translated', 30)
  })

  test('refill before requests are allowed again, after usage beyond the limit', async () => {
    assert.equal((await chat('refill', 'mock:usage 30 5')).status, 200)
    const refused = await chat('refill', 'mock:usage 1 0')
    assert.equal(refused.status, 429)
    assert.match(String(refused.headers['retry-after']), /^[1-5]$/)
    const began = performance.now()
    let answer = refused
    while (answer.status === 429) {
      assert.ok(performance.now() - began < 60_000)
      answer = await chat('refill', 'mock:usage 1 0')
    }
    // The bucket was at minus fifteen, and twenty were added.
    assert.equal(answer.headers['x-ratelimit-remaining'], '5')
  })

  test('reserve the tokens of a prompt if token counting is on', async () => {
    const answer = await chat('counted', 'mock:usage 20 10')
    assert.equal(answer.status, 200)
    // Seven of the prompt, and six of message overhead.
    assert.equal(answer.headers['x-ratelimit-remaining'], '47')
    await until('counted', 30)
    const long = await chat('counted', 'word '.repeat(200))
    assert.deepEqual(told(long), [429, '60', '30'])
    assert.equal(long.headers['retry-after'], undefined)
    await until('counted', 30)
  })

  test('release the reservation if the client leaves before a response', async () => {
    const asked = onceAsked('silent')
    let held = 0
    await leave('silent', 'one two three', (soon) => {
      asked(() => {
        void left(daemon, 'silent').then((now) => {
          held = 100 - now
          soon()
        })
      })
    })
    // Three words plus the overhead of a message.
    assert.equal(held, 9)
    await until('silent', 100)
  })

  test('keep the reservation if the client leaves during a stream without usage', async () => {
    await leave('begins', 'one two three', never)
    // Three words plus the overhead of a message.
    await until('begins', 91)
  })

  test('charge the usage that a broken stream has reported', async () => {
    await leave('messageBegins', 'hi', never, 'messages', { stream: true, max_tokens: 10 })
    await until('messageBegins', 59)
  })

  test('release the reservation after an error or without a response', async () => {
    assert.equal((await chat('busy', 'one two three')).status, 503)
    await until('busy', 100)
    assert.equal((await chat('gone', 'one two three')).status, 503)
    await until('gone', 100)
  })

  test('charge once after a failover, with the usage of the provider that responded', async () => {
    assert.equal((await chat('failover', 'mock:usage 11 4')).status, 200)
    await until('failover', 85)
    assert.equal((await chat('failover', 'mock:usage 11 4', { stream: true })).status, 200)
    await until('failover', 70)
  })

  test('work beside request limits, and headers report the tighter one', async () => {
    assert.deepEqual(told(await chat('both', 'mock:usage 5 5')), [200, '2', '1'])
    assert.deepEqual(told(await chat('both', 'mock:usage 5 5')), [200, '2', '0'])
    assert.deepEqual(told(await chat('both', 'mock:usage 5 5')), [429, '2', '0'])
  })
})
