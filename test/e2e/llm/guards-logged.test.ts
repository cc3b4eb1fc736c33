import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sendRequest } from '../../support/send-request.ts'
import { gatewayBeside } from '../../support/llm/gateway-beside.ts'
import { startGuardServices } from '../../support/llm/guard-services.ts'
import { dialects, userMessage } from '../../support/llm/model-request.ts'

const regex = {
  regex: { action: 'reject', rules: [{ pattern: 'the-word' }] },
  rejection: { body: 'no', status: 422 },
}

const configuration = (services: string) => {
  const webhook = { webhook: { target: { host: services } } }
  const models = Object.entries({ regex, webhook, bare: undefined }).flatMap(([kind, guard]) =>
    ['Buffer', 'Enabled'].map((streaming) => ({
      name: `${kind}-${streaming}`,
      provider: 'mock',
      ...(guard && { guardrails: { response: [guard], streaming } }),
    })),
  )
  return `gateways: { default: { address: 127.0.0.1, port: 0 } }
llm: ${JSON.stringify({ models })}
`
}

suite('blocked content', { concurrency: false }, () => {
  const gateway = gatewayBeside(startGuardServices, configuration)
  let count = 0

  /** The end of a request's log line. */
  const told = async (dialect: (typeof dialects)[number], model: string, stream: boolean, words: string) => {
    const { path, request: asked } = userMessage(dialect, model, `mock:say ${words}`, stream)
    const number = `number=${String(++count)}`
    const { status } = await sendRequest(
      gateway.origin,
      `${path}${path.includes('?') ? '&' : '?'}${number}`,
      asked,
    )
    const [line] = await gateway.daemon.printed(new RegExp(`${number}\\b.*\\n`))
    return { status, said: /(?:error="[^"]*" )?reason=.*(?= duration=)/.exec(line)?.[0] }
  }
  const counted = async (): Promise<Map<string, number>> => {
    const { text } = await sendRequest(gateway.daemon.url('stats'), '/metrics')
    const samples = text.matchAll(
      /^agentgateway_requests_total\{.*status="(\d+)",reason="(\w+)".*\} (\d+)$/gm,
    )
    const found = new Map<string, number>()
    for (const [, status = '', reason = '', value] of samples) {
      const key = `${status} ${reason}`
      found.set(key, (found.get(key) ?? 0) + Number(value))
    }
    return found
  }

  for (const dialect of dialects)
    test(`is logged alike, whole or streamed (${dialect})`, async () => {
      const before = await counted()
      const rejected = 'reason=Guardrail code=guardrail_rejected'
      for (const [streaming, stream] of [
        ['Buffer', false],
        ['Buffer', true],
        ['Enabled', true],
      ] as const) {
        const words = 'This is the-word.'
        assert.deepEqual(await told(dialect, `regex-${streaming}`, stream, words), {
          status: stream ? 200 : 422,
          said: rejected,
        })
        gateway.service.answer = () => ({ status: 200, body: '{"action":{"body":"no","status_code":422}}' })
        assert.deepEqual(await told(dialect, `webhook-${streaming}`, stream, words), {
          status: stream ? 200 : 422,
          said: rejected,
        })
        gateway.service.answer = () => ({ status: 500, body: '' })
        assert.deepEqual(await told(dialect, `webhook-${streaming}`, stream, words), {
          status: stream ? 200 : 503,
          said: 'error="failed to process LLM response: prompt guard failed" reason=Guardrail code=guardrail_failed',
        })
        assert.deepEqual(await told(dialect, `bare-${streaming}`, stream, words), {
          status: 200,
          said: 'reason=Upstream',
        })
      }
      const after = await counted()
      const more = (key: string) => (after.get(key) ?? 0) - (before.get(key) ?? 0)
      assert.deepEqual(
        ['200 Guardrail', '422 Guardrail', '503 Guardrail', '200 Upstream', '200 Internal'].map(more),
        [6, 2, 1, 3, 0],
      )
    })
})
