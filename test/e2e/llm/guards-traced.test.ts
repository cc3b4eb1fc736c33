import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { FORBIDDEN, SECRET, startGuardServices } from '../../support/llm/guard-services.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'

interface Told {
  readonly message: {
    readonly type: string
    readonly kind?: string
    readonly stage?: string
    /** In base64. */
    readonly body?: string
    readonly details?: Readonly<Record<string, unknown>>
  }
}

test('a trace of guard verdicts', async (t) => {
  await using services = await startGuardServices()
  const regex = (action: string, pattern: string) => ({
    regex: { action, rules: [{ pattern }] },
    rejection: { body: 'no' },
  })
  const webhook = { webhook: { target: { host: services.host } } }
  const both = [regex('mask', SECRET), regex('reject', FORBIDDEN), webhook]
  const models = ['Buffer', 'Enabled'].map((streaming) => ({
    name: streaming,
    provider: 'mock',
    guardrails: { request: both, response: both, streaming },
  }))
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { address: 127.0.0.1, port: 0 } }
llm: ${JSON.stringify({ models })}
`)
  const traced = async (
    model: string,
    content: string,
    query = '',
    stream = false,
    dialect = dialects[0],
  ) => {
    const watcher = request(`${daemon.url('admin')}/debug/trace${query}`, { agent: false }).end()
    const [res] = (await once(watcher, 'response')) as [IncomingMessage]
    const told = textOf(res)
    const { path, request: asked } = userMessage(dialect, model, content, stream)
    const answer = await sendRequest(daemon.url('default'), path, asked)
    const text = await told
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as Told)
    const checks = events.flatMap(({ message: { kind, details } }) =>
      kind === 'guardrail' && details ? [details] : [],
    )
    const bodies = new Map(
      events.flatMap(({ message: { type, stage, body = '' } }) =>
        type === 'bodySnapshot' && stage !== undefined
          ? [[stage, Buffer.from(body, 'base64').toString()] as const]
          : [],
      ),
    )
    return { answer, text, checks, bodies }
  }
  /** The verdict of each guard. */
  const verdicts = (checks: readonly Readonly<Record<string, unknown>>[]) =>
    checks.map(({ guard, phase, action }) => [guard, phase, action].join(' '))

  const words = `mock:say The ${SECRET} is known.`
  const expected = [
    ...['regex request Mask', 'regex request Allow', 'webhook request Allow'],
    ...['regex response Allow', 'regex response Allow', 'webhook response Allow'],
  ]

  for (const [how, model, stream] of [
    ['of a whole answer', 'Buffer', false],
    ['of a stream that is held', 'Buffer', true],
    ['of a stream that is followed', 'Enabled', true],
  ] as const)
    await t.test(`has each verdict and its duration, but no texts: ${how}`, async () => {
      const { answer, text, checks, bodies } = await traced(model, words, '', stream)
      assert.equal(answer.status, 200, answer.text)
      assert.deepEqual(verdicts(checks), expected)
      for (const { tookUs } of checks) assert.ok(Number.isInteger(tookUs) && (tookUs as number) >= 0)
      assert.equal(bodies.size, 0)
      for (const said of [SECRET, 'is known', '<masked>']) assert.ok(!text.includes(said), said)
    })

  await t.test('has the reason of a webhook, and that later guards were not called', async () => {
    services.answer = (path) =>
      path === '/request'
        ? { status: 200, body: '{"action":{"body":"no","status_code":403,"reason":"told so"}}' }
        : undefined
    const { answer, text, checks } = await traced('Buffer', words)
    services.answer = undefined
    assert.deepEqual([answer.status, answer.text], [403, 'no'])
    assert.deepEqual(verdicts(checks), expected.slice(0, 2).concat('webhook request Reject'))
    assert.equal(checks.at(-1)?.reason, 'told so')
    assert.ok(!text.includes('is known'))
  })

  await t.test('has the failure of a guard and its cause', async () => {
    services.answer = () => ({ status: 500, body: '' })
    const { answer, checks } = await traced('Buffer', words)
    services.answer = undefined
    assert.equal(answer.status, 503)
    assert.deepEqual(verdicts(checks), expected.slice(0, 2).concat('webhook request FailClosed'))
    assert.match(String(checks.at(-1)?.reason), /500/)
  })

  await t.test('has the texts if the watcher requests bodies', async () => {
    const { checks, bodies } = await traced('Buffer', words, '?bodies=true')
    assert.deepEqual(verdicts(checks), expected)
    assert.match(bodies.get('final request') ?? '', /The <masked> is known/)
    assert.match(bodies.get('llm raw response') ?? '', /The <masked> is known/)
  })
})
