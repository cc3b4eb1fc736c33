import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../../../src/model/exchange/fault.ts'
import { GuardFailure } from '../../../../../src/operators/llm/guardrails/guard.ts'
import { exchange } from '../../../../../src/testing/exchange.ts'
import { rawResponse, rawServer } from '../../../../support/upstream-servers.ts'
import { type WebhookClient, webhookClient, respondWith, texts, webhook } from './webhook-client.ts'

const HELLO = texts('user: hello')

/** Why there is no verdict. */
const failure = async (asked: Promise<unknown>): Promise<string> => {
  const error = await asked.then(
    () => assert.fail('there is a verdict'),
    (one: unknown) => one,
  )
  assert.ok(error instanceof GuardFailure, String(error))
  return error.message
}

const failureOf = async (port: number, more: Parameters<typeof webhookClient>[1] = {}): Promise<string> => {
  await using guard = webhookClient(port, more)
  return await failure(guard.check(HELLO))
}

test('a webhook', async (t) => {
  await t.test('gets the request', async () => {
    await using hook = await webhook(respondWith({}))
    await using guard = webhookClient(hook.port)
    assert.equal(await guard.check(texts('system: be kind', 'user: "hé" \u{1f600}')), undefined)
    const asked = hook.received[0] ?? assert.fail('nothing was asked')
    assert.deepEqual([asked.method, asked.path], ['POST', '/request'])
    assert.equal(
      asked.body,
      '{"body":{"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"\\"hé\\" \u{1f600}"}]}}',
    )
    const length = String(Buffer.byteLength(asked.body))
    assert.deepEqual(asked.headers, [
      ...['host', `127.0.0.1:${hook.port}`, 'connection', 'keep-alive'],
      ...['content-type', 'application/json', 'content-length', length],
    ])
  })

  await t.test('gets the response', async () => {
    await using hook = await webhook(respondWith({}))
    await using guard = webhookClient(hook.port)
    assert.equal(await guard.check(texts('assistant: hi', 'assistant: ho'), { phase: 'response' }), undefined)
    assert.equal(hook.received.at(0)?.path, '/response')
    assert.equal(
      hook.received.at(0)?.body,
      '{"body":{"choices":[{"message":{"role":"assistant","content":"hi"}},{"message":{"role":"assistant","content":"ho"}}]}}',
    )
  })

  await t.test('masks and rejects', async () => {
    const answers = [
      { body: { messages: [{ role: 'user', content: '****' }] } },
      { body: 'not here', status_code: 418, reason: 'rude' },
    ]
    await using hook = await webhook((asked, res) => respondWith(answers.shift())(asked, res))
    await using guard = webhookClient(hook.port)
    assert.deepEqual(await guard.check(HELLO), { action: 'mask', texts: ['****'], reason: undefined })
    const verdict = await guard.check(HELLO)
    assert.ok(verdict?.action === 'reject')
    assert.deepEqual(
      [verdict.rejection.status, verdict.rejection.body, verdict.reason],
      [418, 'not here', 'rude'],
    )
  })

  await t.test('that is down has no verdict', async () => {
    const hook = await webhook(respondWith({}))
    await hook[Symbol.asyncDispose]()
    assert.match(await failureOf(hook.port), /^could not be asked: upstream call failed: .*refused/)
  })

  await t.test('that is slow has no verdict, and loses the connection', async () => {
    await using hook = await webhook(() => undefined)
    assert.equal(await failureOf(hook.port, { timeoutMs: 60 }), 'gave no answer within 60 ms')
  })

  await t.test('that begins a response and stops has no verdict', async () => {
    await using hook = await webhook((_, res) => {
      res.writeHead(200, { 'content-length': '100' }).write('{"action":')
    })
    assert.equal(await failureOf(hook.port, { timeoutMs: 60 }), 'gave no answer within 60 ms')
  })

  await t.test('that closes in the middle has no verdict', async () => {
    await using early = await rawServer((socket) => socket.once('data', () => socket.destroy()))
    assert.match(await failureOf(early.port), /^could not be asked: upstream call failed/)
    await using late = await rawResponse('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"action":{}}', true)
    assert.match(await failureOf(late.port), /^could not be asked: upstream call failed/)
    await using chunked = await rawResponse(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n{"action":{}}\r\n',
      true,
    )
    assert.match(await failureOf(chunked.port), /^could not be asked: upstream call failed/)
  })

  await t.test('that responds with garbage has no verdict', async () => {
    await using garbage = await rawResponse('\x00\x01\x02 who goes there\r\n\r\n', true)
    assert.match(await failureOf(garbage.port), /^could not be asked: upstream call failed: malformed/)
    await using page = await webhook((_, res) => res.end('<h1>Welcome</h1>'))
    assert.equal(await failureOf(page.port), 'answered with something else than JSON')
  })

  await t.test('that does not end its response has no verdict', async () => {
    await using hook = await webhook((_, res) => {
      const more = () => {
        while (!res.destroyed && res.write('x'.repeat(65_536)));
      }
      res.on('drain', more)
      res.on('error', () => undefined)
      more()
    })
    assert.equal(
      await failureOf(hook.port),
      `gave an answer of more than ${1_048_576 + 3 * '{"body":{"messages":[{"role":"user","content":"hello"}]}}'.length} bytes`,
    )
  })

  await t.test('may repeat all of a long text, with any escapes', async () => {
    const text = 'é'.repeat(600_000)
    await using hook = await webhook((_, res) => {
      res.end(`{"action":{"body":{"messages":[{"role":"user","content":"${'\\u00e9'.repeat(600_000)}"}]}}}`)
    })
    await using guard = webhookClient(hook.port)
    const verdict = await guard.check(texts(`user: ${text}`))
    assert.ok(verdict?.action === 'mask' && verdict.texts[0] === text)
  })

  await t.test('that redirects is not followed', async () => {
    await using elsewhere = await webhook(respondWith({}))
    await using hook = await webhook((_, res) => {
      res.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}/request` }).end()
    })
    assert.equal(await failureOf(hook.port), 'answered with status 307')
    assert.equal(elsewhere.received.length, 0)
  })

  await t.test('that fails has no verdict', async () => {
    await using hook = await webhook((_, res) => {
      res.writeHead(503).end('{"action":{"reason":"warming up"}}')
    })
    assert.equal(await failureOf(hook.port), 'answered with status 503: warming up')
  })

  await t.test('is cancelled once the client has disconnected', async () => {
    const left = new AbortController()
    await using hook = await webhook(() => left.abort())
    await using guard = webhookClient(hook.port)
    const asked = guard.check(HELLO, { signal: left.signal })
    await assert.rejects(asked, (error) => error instanceof Fault && error.code === 'abandoned')
  })

  await t.test('may fail open', async () => {
    for (const opensOnFailure of [true, false]) {
      await using guard = webhookClient(1, { opensOnFailure })
      assert.deepEqual([guard.guard.opensOnFailure, guard.guard.name], [opensOnFailure, 'webhook'])
    }
  })
})

test('the connections of a webhook', async (t) => {
  const all = (guard: WebhookClient, count: number) =>
    Promise.all(Array.from({ length: count }, () => guard.check(HELLO, {}, exchange())))

  await t.test('are reused by the next callouts', async () => {
    await using hook = await webhook(respondWith({}))
    await using guard = webhookClient(hook.port, { pool: { poolIdleTimeoutMs: 5_000, poolMaxSize: 1 } })
    for (let i = 0; i < 5; i++) await guard.check(HELLO)
    assert.equal(hook.opened(), 1)
  })

  await t.test('are no more than 100 for 1,000 concurrent callouts, all of which succeed', async () => {
    let inside = 0
    let most = 0
    await using hook = await webhook((asked, res) => {
      most = Math.max(most, ++inside)
      setImmediate(() => {
        inside--
        respondWith({ reason: 'ok' })(asked, res)
      })
    })
    await using guard = webhookClient(hook.port)
    const verdicts = await all(guard, 1_000)
    assert.deepEqual(new Set(verdicts), new Set([undefined]))
    assert.equal(hook.received.length, 1_000)
    assert.equal(hook.opened(), 100)
    assert.ok(most <= 100, String(most))
  })

  await t.test('have a queue of no more than 1,024', async () => {
    const open: (() => void)[] = []
    await using hook = await webhook((asked, res) => {
      open.push(() => respondWith({})(asked, res))
      // The limit of concurrent callouts is reached, and the rest are pending.
      if (open.length === 2) release()
      else if (released) open.pop()?.()
    })
    let released = false
    const release = () => {
      released = true
      for (const answer of open.splice(0)) answer()
    }
    await using guard = webhookClient(hook.port, { pool: { poolIdleTimeoutMs: 5_000, poolMaxSize: 2 } })
    const settled = await Promise.allSettled(
      Array.from({ length: 1_030 }, () => guard.check(HELLO, {}, exchange())),
    )
    const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
    assert.equal(refused.length, 1_030 - 1_026)
    assert.ok(refused[0] instanceof GuardFailure)
    assert.equal(
      refused[0].message,
      '2 calls are under way and 1024 wait: GUARDRAIL_WEBHOOK_MAX_CONNECTIONS is the limit',
    )
    assert.equal(hook.opened(), 2)
  })

  await t.test('are as many as there are calls where nothing limits them', async () => {
    const open: (() => void)[] = []
    await using hook = await webhook((asked, res) => {
      open.push(() => respondWith({})(asked, res))
      if (open.length === 150) for (const answer of open) answer()
    })
    await using guard = webhookClient(hook.port, {
      pool: { poolIdleTimeoutMs: 5_000 },
      maxConnections: undefined,
    })
    await all(guard, 150)
    assert.equal(hook.opened(), 150)
  })

  await t.test('are closed when they were idle for long enough', async () => {
    await using hook = await webhook(respondWith({}))
    await using guard = webhookClient(hook.port, { pool: { poolIdleTimeoutMs: 30, poolMaxSize: 1 } })
    await guard.check(HELLO)
    const [socket] = hook.sockets
    if (socket && !socket.destroyed) await new Promise((resolve) => socket.once('close', resolve))
    await guard.check(HELLO)
    assert.equal(hook.opened(), 2)
  })

  await t.test('are available again after each failure', async () => {
    const answers = [500, 200]
    await using hook = await webhook((_, res) => res.writeHead(answers.shift() ?? 200).end('{"action":{}}'))
    await using guard = webhookClient(hook.port, { pool: { poolIdleTimeoutMs: 5_000, poolMaxSize: 1 } })
    assert.equal(await failure(guard.check(HELLO)), 'answered with status 500')
    assert.equal(await guard.check(HELLO), undefined)
  })
})
