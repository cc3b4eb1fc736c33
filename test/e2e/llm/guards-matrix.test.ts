import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { llmStreamViolations } from '../../../src/testing/index.ts'
import { sendRequest } from '../../support/send-request.ts'
import { gatewayBeside } from '../../support/llm/gateway-beside.ts'
import { FORBIDDEN, MASKED, SECRET, startGuardServices } from '../../support/llm/guard-services.ts'
import { type Dialect, dialects, userMessage } from '../../support/llm/model-request.ts'

/** A kind of guard and its abilities. */
interface Kind {
  readonly name: string
  readonly masks: boolean
  readonly rejects: boolean
  readonly phases: readonly ('request' | 'response')[]
  readonly guard: (host: string) => object
}

const both = ['request', 'response'] as const
const keys = { policies: { backendAuth: { key: 'sk-guard' } } }
const aws = { backendAuth: { aws: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' } } }

const kinds: readonly Kind[] = [
  {
    ...{ name: 'regex-mask', masks: true, rejects: false, phases: both },
    guard: () => ({ regex: { action: 'mask', rules: [{ pattern: SECRET }] } }),
  },
  {
    ...{ name: 'regex-reject', masks: false, rejects: true, phases: both },
    guard: () => ({ regex: { action: 'reject', rules: [{ pattern: FORBIDDEN }] } }),
  },
  {
    ...{ name: 'webhook', masks: true, rejects: true, phases: both },
    guard: (host) => ({ webhook: { target: { host } } }),
  },
  {
    ...{ name: 'moderation', masks: false, rejects: true, phases: ['request'] },
    guard: (host) => ({ openAIModeration: { host, ...keys } }),
  },
  {
    ...{ name: 'bedrock', masks: true, rejects: true, phases: both },
    guard: (host) => ({
      bedrockGuardrails: {
        ...{ guardrailIdentifier: 'abc', guardrailVersion: '1', region: 'us-east-1' },
        ...{ host, policies: aws },
      },
    }),
  },
  {
    ...{ name: 'armor', masks: false, rejects: true, phases: both },
    guard: (host) => ({ googleModelArmor: { templateId: 't', projectId: 'p', host, ...keys } }),
  },
  {
    ...{ name: 'safety', masks: false, rejects: true, phases: both },
    guard: (host) => ({ azureContentSafety: { endpoint: `http://${host}`, analyzeText: {}, ...keys } }),
  },
]

const modes = ['Buffer', 'Enabled', 'Disabled'] as const
type Mode = (typeof modes)[number] | 'whole'

/** Each kind guards one phase of a model with every format, and of models that need translation. */
const providers = {
  same: { provider: 'mock', for: dialects },
  'by-messages': { provider: { mock: { formats: ['messages'] } }, for: ['completions', 'responses'] },
  'by-completions': {
    provider: { mock: { formats: ['completions'] } },
    for: ['messages', 'responses', 'generateContent'],
  },
} as const satisfies Record<string, { readonly provider: unknown; readonly for: readonly Dialect[] }>

const configuration = (host: string): string => {
  const models = kinds.flatMap(({ name, phases, guard }) =>
    phases.flatMap((phase) =>
      Object.entries(providers).flatMap(([way, { provider }]) =>
        modes.map((streaming) => ({
          name: `${name}-${phase}-${way}-${streaming}`,
          provider,
          guardrails: {
            [phase]: [{ ...guard(host), ...(name === 'webhook' ? {} : { rejection: { body: 'no' } }) }],
            ...(streaming !== 'Buffer' && { streaming }),
          },
        })),
      ),
    ),
  )
  return `gateways:
  default: { address: 127.0.0.1, port: 0 }
llm:
  gateways: [default]
  models: ${JSON.stringify(models)}
`
}

suite('guards', { concurrency: false }, () => {
  const gateway = gatewayBeside(startGuardServices, configuration)

  const asking = async (dialect: Dialect, model: string, content: string, mode: Mode) => {
    const { path, request: asked } = userMessage(dialect, model, content, mode !== 'whole')
    return sendRequest(gateway.origin, path, asked)
  }

  test('warn about streams that are not guarded', async () => {
    await gateway.daemon.printed(/Disabled/)
  })

  for (const { name, masks, rejects, phases } of kinds)
    for (const phase of phases)
      for (const [way, { for: spoken }] of Object.entries(providers))
        for (const dialect of spoken)
          for (const mode of ['whole', ...modes] as const) {
            const model = `${name}-${phase}-${way}-${mode === 'whole' ? 'Buffer' : mode}`
            const isUnseen = phase === 'response' && mode === 'Disabled'
            const told = (words: string) => (phase === 'response' ? `mock:say ${words}` : words)

            test(`${model}, in ${dialect}, ${mode === 'whole' ? 'whole' : 'streamed'}`, async () => {
              const fine = await asking(dialect, model, told('All these words are fine.'), mode)
              assert.equal(fine.status, 200, fine.text)
              assert.match(saidIn(dialect, fine.text, mode), /All these words are fine\./)
              if (mode !== 'whole') assert.deepEqual(llmStreamViolations(dialect, fine.text), [])

              if (masks) {
                const left = await asking(dialect, model, told(`It is ${SECRET}, they say.`), mode)
                assert.equal(left.status, 200, left.text)
                const said = saidIn(dialect, left.text, mode)
                const mask = name === 'regex-mask' ? '<masked>' : MASKED
                assert.ok(said.includes(`It is ${isUnseen ? SECRET : mask}, they say.`), said)
                if (!isUnseen) assert.ok(!left.text.includes(SECRET))
                if (mode !== 'whole') assert.deepEqual(llmStreamViolations(dialect, left.text), [])
              }

              if (rejects) {
                const no = await asking(dialect, model, told(`It is a ${FORBIDDEN}, they say.`), mode)
                if (isUnseen) assert.match(saidIn(dialect, no.text, mode), new RegExp(FORBIDDEN))
                else {
                  assert.ok(!no.text.includes(FORBIDDEN), no.text)
                  const isStream = mode !== 'whole' && phase === 'response'
                  if (isStream) assert.match(no.text, /"message": ?"no"/)
                  else assert.deepEqual([no.status, no.text], [403, 'no'])
                }
              }
            })
          }

  test('send every text to webhooks with its role', async () => {
    gateway.service.asked.length = 0
    await asking('messages', 'webhook-request-same-Buffer', 'hello', 'whole')
    assert.deepEqual(
      gateway.service.asked.map(({ path, body }) => [path, JSON.parse(body) as unknown]),
      [['/request', { body: { messages: [{ role: 'user', content: 'hello' }] } }]],
    )
  })

  test('fail closed for every service and failure', async () => {
    gateway.service.answer = () => ({ status: 500, body: '{"action":{}}' })
    try {
      for (const { name, phases } of kinds.filter((kind) => !kind.name.startsWith('regex')))
        for (const phase of phases)
          for (const mode of ['whole', 'Buffer', 'Enabled'] as const) {
            const model = `${name}-${phase}-same-${mode === 'whole' ? 'Buffer' : mode}`
            const said = phase === 'response' ? 'mock:say Nobody may see this.' : 'Nobody may see this.'
            const { status, text } = await asking('completions', model, said, mode)
            assert.ok(!text.includes('Nobody may see this'), `${model}: ${text}`)
            const isStream = mode !== 'whole' && phase === 'response'
            if (!isStream) {
              assert.equal(status, 503, model)
              assert.match(text, new RegExp(`failed to process LLM ${phase}: prompt guard failed`))
            } else assert.match(text, /Content blocked by guardrail policy/, model)
          }
    } finally {
      gateway.service.answer = undefined
    }
  })

  test('are counted in the metrics', async () => {
    const { text } = await sendRequest(gateway.daemon.url('stats'), '/metrics')
    for (const phase of ['Request', 'Response'])
      for (const action of ['Allow', 'Mask', 'Reject', 'FailClosed'])
        assert.match(
          text,
          new RegExp(`agentgateway_guardrail_checks_total\\{phase="${phase}",action="${action}"\\} [1-9]`),
        )
  })
})

/** The whole content sent to a client, in order. */
const saidIn = (dialect: Dialect, text: string, mode: Mode): string => {
  if (mode === 'whole') return textsOf[dialect](JSON.parse(text)).join('')
  return [...text.matchAll(/^data: (\{.*)$/gm)]
    .flatMap(([, data = '']) => deltasOf[dialect](JSON.parse(data)))
    .join('')
}

/* eslint-disable @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call -- answers are what they are */
const textsOf: Record<Dialect, (json: any) => string[]> = {
  completions: ({ choices }) => choices.map(({ message }: any) => message.content),
  messages: ({ content }) => content.map(({ text }: any) => text ?? ''),
  responses: ({ output }) =>
    output.flatMap(({ content }: any) => (content ?? []).map(({ text }: any) => text ?? '')),
  generateContent: ({ candidates }) =>
    candidates.flatMap(({ content }: any) => content.parts.map(({ text }: any) => text ?? '')),
}
const deltasOf: Record<Dialect, (json: any) => string[]> = {
  completions: ({ choices }) => (choices ?? []).map(({ delta }: any) => delta?.content ?? ''),
  messages: ({ delta }) => [delta?.text ?? ''],
  responses: ({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : []),
  generateContent: ({ candidates }) =>
    (candidates ?? []).flatMap(({ content }: any) =>
      (content?.parts ?? []).map(({ text }: any) => text ?? ''),
    ),
}
