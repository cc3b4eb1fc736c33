import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { faultReply, rescue, upstreamOf } from 'agentgateway'
import { llmPipeline, everyScope, type Guard, regexGuard, rejectWith } from 'agentgateway/operators'
import { exchange, llmStreamViolations, MockLlm, runAsync } from 'agentgateway/testing'
import { startUpstream } from '../../support/upstream.ts'

const mock = new MockLlm({ name: 'mock', type: 'ai', protocol: 'llm' })
const asked = (path: string, body: object, headers = {}) =>
  exchange({ method: 'POST', path, headers, body: JSON.stringify(body) })
const replying = (content: string) => ({ messages: [{ role: 'user', content }] })

test('llmPipeline', async (t) => {
  await t.test('replies in the format of the client', async () => {
    const models = llmPipeline([[{ kind: 'mock', upstream: mock }]])
    const { reply } = await runAsync(models, asked('/v1/chat/completions', { model: 'm', ...replying('hi') }))
    assert.equal(reply?.status, 200)
    assert.match((await reply.body.read(10_000)).toString(), /You said: hi/)
  })

  await t.test('translates streams, and records usage', async () => {
    const formats = [{ type: 'completions' }] as const
    const models = llmPipeline([[{ kind: 'mock', upstream: mock, settings: { formats } }]])
    const body = { model: 'm', max_tokens: 99, stream: true, ...replying('mock:usage 7 3 mock:say One') }
    const x = await runAsync(models, asked('/v1/messages', body))
    const text = (await x.reply!.body.read(100_000)).toString()
    assert.deepEqual(llmStreamViolations('messages', text), [])
    assert.partialDeepStrictEqual(x.protocol.llm, {
      inputTokens: 7,
      outputTokens: 3,
      upstreamFormat: 'completions',
    })
  })

  await t.test('tries the next group when one fails', async () => {
    const models = llmPipeline([
      [{ kind: 'mock', upstream: mock, model: 'first' }],
      [{ kind: 'mock', upstream: mock, model: 'second' }],
    ])
    const body = { model: 'any', ...replying('mock@first:error 503') }
    const x = await runAsync(models, asked('/v1/chat/completions', body))
    await x.reply!.body.read(10_000)
    assert.equal(x.protocol.llm?.responseModel, 'second')
  })

  await t.test("sends the provider its key in the right header, and never the client's", async () => {
    const received: Record<string, unknown>[] = []
    await using server = await startUpstream((req, res) => {
      void buffer(req).then(() => {
        received.push({ ...req.headers, url: req.url })
        const said = { id: 'a', type: 'message', role: 'assistant', model: 'm', content: [] }
        res.writeHead(200, { 'content-type': 'application/json' })
        res.end(
          JSON.stringify({ ...said, stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 0 } }),
        )
      })
    })
    const host = server.host.replace('127.0.0.1', 'localhost')
    await using upstream = upstreamOf(`http://${host}`)
    const models = rescue(llmPipeline([[{ kind: 'anthropic', upstream, key: 'sk-provider' }]]), faultReply())
    const x = await runAsync(
      models,
      asked('/v1/chat/completions', { model: 'm', ...replying('hi') }, { authorization: 'Bearer sk-client' }),
    )
    assert.equal(x.reply?.status, 200)
    await x.reply.body.read(10_000)
    assert.partialDeepStrictEqual(received, [{ 'x-api-key': 'sk-provider', url: '/v1/messages', host }])
    assert.equal(received[0]!.authorization, undefined)
    assert.ok(!JSON.stringify(received).includes('sk-client'))
  })

  await t.test('refuses in the format of the client', async () => {
    const models = llmPipeline([[{ kind: 'mock', upstream: mock }]])
    const { reply } = await runAsync(models, asked('/v1/messages', []))
    assert.equal(reply?.status, 400)
    assert.equal(reply.code, 'invalid_request_body')
  })

  await t.test('guards requests and responses', async () => {
    const checks: string[] = []
    const noSecrets: Guard = {
      name: 'secrets',
      scopes: everyScope,
      opensOnFailure: false,
      check: (_, texts) =>
        texts.some(({ text }) => text.includes('secret'))
          ? { action: 'reject', rejection: rejectWith('not here', 400) }
          : undefined,
    }
    const models = llmPipeline([[{ kind: 'mock', upstream: mock }]], {
      guards: {
        request: [noSecrets],
        response: [regexGuard({ type: 'regex', action: 'mask', rules: [{ builtin: 'email' }] })],
        onGuardEnd: (_, { guard, phase, action }) => checks.push(`${guard} ${phase} ${action}`),
      },
    })
    const told = async (content: string, stream: boolean) => {
      const body = { model: 'm', stream, ...replying(content) }
      const { reply } = await runAsync(models, asked('/v1/chat/completions', body))
      return `${reply!.status} ${(await reply!.body.read(10_000)).toString()}`
    }
    assert.equal(await told('a secret', false), '400 not here')
    for (const stream of [false, true]) {
      const said = await told('mock:say ask bob@example.com', stream)
      assert.match(said, /<EMAIL_ADDRESS>/)
      assert.doesNotMatch(said, /bob/)
    }
    assert.deepEqual(checks, [
      'secrets request Reject',
      'secrets request Allow',
      'regex response Mask',
      'secrets request Allow',
      'regex response Mask',
    ])
  })

  await t.test('does not count the time of guards as provider latency', async () => {
    let guardedAt = 0
    const slow: Guard = {
      ...{ name: 'slow', scopes: everyScope, opensOnFailure: false },
      check: async () => {
        await setTimeout(20)
        guardedAt = performance.now()
        return undefined
      },
    }
    const models = llmPipeline([[{ kind: 'mock', upstream: mock }]], { guards: { request: [slow] } })
    const body = { model: 'm', stream: true, ...replying('hi') }
    const x = await runAsync(models, asked('/v1/chat/completions', body))
    await x.reply!.body.read(10_000)
    assert.ok(x.protocol.llm!.timeToFirstTokenMs! <= performance.now() - guardedAt)
  })
})
