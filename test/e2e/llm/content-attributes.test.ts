import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'

/** A model with every format, and some that need translation. */
const models = {
  plain: 'mock',
  'by-messages': { mock: { formats: ['messages'] } },
  'by-completions': { mock: { formats: ['completions'] } },
}

const configuration = (fields: string): string => `${anyPorts}
frontendPolicies:
  accessLog:
    add: { n: 'request.headers["x-n"]'${fields} }
gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  models: ${JSON.stringify(Object.entries(models).map(([name, provider]) => ({ name, provider })))}
`

const fields = `, p: 'toJson(llm.prompt)', c: 'toJson(llm.completion)', t: 'toJson(llm.toolCalls)', s: 'size(llm.completion[0])'`
const content = 'mock:say Well. mock:tool look {"at":[1]}'

suite('expressions read prompt and completion', () => {
  let daemon: Daemon
  before(async () => {
    daemon = await startDaemon(
      configuration(fields).replace(/^config:/, 'config:\n  logging: { format: json }'),
    )
  })
  after(() => daemon[Symbol.asyncDispose]())

  let n = 0
  const logged = async (
    path: string,
    asked: Parameters<typeof sendRequest>[2],
  ): Promise<Record<string, unknown>> => {
    const headers = { ...asked?.headers, 'x-n': String(++n) }
    const { status, text } = await sendRequest(daemon.url('default'), path, { ...asked, headers })
    assert.equal(status, 200, text)
    const [line] = await daemon.printed(new RegExp(`^\\{.*"n":"${String(n)}".*$`, 'm'))
    const { p, c, t } = JSON.parse(line) as Record<'p' | 'c' | 't', string>
    return { p: JSON.parse(p), c: JSON.parse(c), t: JSON.parse(t) }
  }

  for (const dialect of dialects)
    for (const model of Object.keys(models))
      for (const stream of [false, true]) {
        if (dialect === 'generateContent' && model === 'by-messages') continue
        test(`${dialect}, ${model}, ${stream ? 'as a stream' : 'as a whole'}`, async () => {
          const { path, request: asked } = userMessage(dialect, model, content, stream)
          const { p, c, t } = await logged(path, asked)
          assert.deepEqual(p, [{ role: 'user', content }])
          assert.deepEqual(c, ['Well.'])
          assert.ok(Array.isArray(t))
          assert.partialDeepStrictEqual(t, [{ name: 'look', arguments: { at: [1] } }])
        })
      }

  test('with the role of each message', async () => {
    const messages = [
      { role: 'system', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'three' },
    ]
    const { p } = await logged('/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model: 'plain', messages }),
    })
    assert.deepEqual(p, [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'one\ntwo' },
      { role: 'assistant', content: '' },
      { role: 'tool', content: 'three' },
    ])
  })

  test('of a response beyond the usual inspection limit', async () => {
    const { path, request: asked } = userMessage('completions', 'plain', 'mock:words 40000')
    await sendRequest(daemon.url('default'), path, { ...asked, headers: { 'x-n': 'long' } })
    const [, size] = await daemon.printed(/"n":"long".*"s":"?(\d+)/)
    assert.ok(Number(size) > 100_000, size)
  })

  test('as undefined for embeddings', async () => {
    const body = JSON.stringify({ model: 'plain', input: 'x' })
    const headers = { 'x-n': 'none' }
    assert.equal(
      (await sendRequest(daemon.url('default'), '/v1/embeddings', { method: 'POST', body, headers })).status,
      200,
    )
    const [line] = await daemon.printed(/^\{.*"n":"none".*$/m)
    const { p, c, t } = JSON.parse(line) as Record<string, unknown>
    assert.deepEqual([p, c, t], [undefined, undefined, undefined])
  })
})
