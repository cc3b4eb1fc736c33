/** The cost of guards: a stream with checked text beside the same without; and the latency that a webhook adds. */
import { compare, ratio, stopAll } from './proxy.ts'
import { startGateway } from './support/gateway.ts'
import { llmConfiguration } from './support/llm-configuration.ts'
import { addedBesideOwn } from './support/latency.ts'
import { run } from './support/load.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

const PATH = '/v1/chat/completions'
const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer sk-of-the-client' }

export const guardedFigures = async (): Promise<Figure[]> => {
  const upstream = await start('./llm-upstream.ts')
  const webhook = await start('./guard-webhook.ts')
  const plain = await startGateway(llmConfiguration(upstream.url, 'openai'))
  const masked = await startGateway(llmConfiguration(upstream.url, 'openai', masking('email')))
  const thrice = await startGateway(
    llmConfiguration(upstream.url, 'openai', masking('ssn', 'creditCard', 'email')),
  )
  const asking = await startGateway(
    llmConfiguration(
      upstream.url,
      'openai',
      `{ request: [{ webhook: { target: { host: "${hostOf(webhook.url)}" } } }] }`,
    ),
  )
  const [a = [], b = [], c = []] = await compare([masked, plain, thrice], {
    ...{ name: 'guards.stream', path: PATH, connections: 8, method: 'POST', body: chat(true) },
    headers: HEADERS,
  })
  const call = (url: string) => () => ({
    url: url + PATH,
    method: 'POST' as const,
    headers: HEADERS,
    body: chat(false),
  })
  const asked = { url: `${webhook.url}/request`, method: 'POST', headers: HEADERS, body: QUESTION } as const
  // V8 needs seconds of load to optimize.
  for (const { url, method, headers, body } of [{ ...call(asking.url)() }, asked])
    await run({ url, method, headers, body, connections: 16, seconds: 4 })
  const { added, own, more } = await addedBesideOwn(call(asking.url), call(plain.url), asked)
  await stopAll([upstream, webhook, plain, masked, thrice, asking])
  return [
    {
      name: 'guards.stream.ratio',
      value: ratio(a, b),
      unit: '× unguarded',
      note: `500 chunks through a regex mask: ${median(a).toFixed(0)} µs, without ${median(b).toFixed(0)} µs`,
    },
    {
      name: 'guards.stream.three.ratio',
      value: ratio(c, b),
      unit: '× unguarded',
      note: `through three masks, one after another: ${median(c).toFixed(0)} µs`,
    },
    {
      name: 'guards.webhook.addedMs',
      value: more,
      unit: 'ms',
      note: `median at 200 calls a second: ${added.toFixed(2)} ms, beside the webhook's own ${own.toFixed(2)} ms`,
    },
  ]
}

const masking = (...builtins: readonly string[]): string =>
  `{ streaming: Enabled, response: [{ regex: { rules: [${builtins.map((name) => `{ builtin: ${name} }`).join(', ')}] } }] }`

const QUESTION = '{"body":{"messages":[{"role":"user","content":"Please tell me something about the sea."}]}}'

const chat = (stream: boolean) =>
  JSON.stringify({
    model: 'gpt-4o',
    ...(stream && { stream: true }),
    messages: [{ role: 'user', content: 'Please tell me something about the sea.' }],
  })

const hostOf = (url: string): string => new URL(url).host
