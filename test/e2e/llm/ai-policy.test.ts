import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callModel, completions, messages, responses } from '../../support/llm/client-formats.ts'
import { recordedGateway } from '../../support/llm/recorded-gateway.ts'
import { jsonResponse, jsonOf, message } from '../../support/llm/recording-provider.ts'

const configuration = (host: string) => `routes:
  - name: changed
    matches: [{ path: { pathPrefix: /changed } }]
    policies:
      urlRewrite: { path: { prefix: / } }
      ai:
        routes: { /v1/messages: messages, /v1/models: models, /v1/embeddings: embeddings }
        overrides: { seed: 1, user: overridden, gone: there }
        transformations:
          from_override: "'saw ' + string(llmRequest.seed)"
          max_tokens: "min(llmRequest.max_tokens, 100)"
          gone: "null"
          fails: "llmRequest.never.there"
          temperature: "0.25"
        defaults: { temperature: 0.75, seed: 2, top_p: 0.5, gone: default }
        modelAliases: { fast: small-1, 'fast-*': small-2, 'fast-er*': small-3 }
        prompts: { prepend: [{ role: system, content: Before. }], append: [{ role: user, content: After. }] }
        finalTransformations: { metadata: "{'tier': 'final', 'temperature': string(llmRequest.temperature)}" }
    backends:
      - ai: { name: one, hostOverride: "${host}", pathPrefix: /v1, provider: { openAI: {} } }
  - name: cached
    matches: [{ path: { pathPrefix: /cached } }]
    policies:
      urlRewrite: { path: { prefix: / } }
      ai:
        promptCaching: { cacheTools: true, minTokens: 0 }
        prompts: { append: [{ role: user, content: After. }] }
        finalTransformations: { stop_sequences: "['z']" }
    backends:
      - ai: { name: two, hostOverride: "${host}", pathPrefix: /v1, provider: { anthropic: { model: claude-pinned } } }
  - name: grouped
    matches: [{ path: { pathPrefix: /grouped } }]
    policies: { urlRewrite: { path: { prefix: / } } }
    backends:
      - ai:
          groups:
            - providers:
                - name: first
                  provider: { mock: { model: first } }
                  policies: { ai: { overrides: { user: of-first } } }
            - providers:
                - name: second
                  hostOverride: "${host}"
                  pathPrefix: /v1
                  provider: { openAI: { model: second } }
                  policies: { ai: { overrides: { user: of-second } }, backendAuth: { key: of-second } }
`

suite('the policy `ai`', () => {
  const gateway = recordedGateway(configuration)

  const under = (prefix: string, format = completions) => ({
    ...format,
    path: (model: string) => prefix + format.path(model),
  })

  const sent = async (prefix: string, model: string, fields: object, format = completions) => {
    gateway.provider.calls.length = 0
    const { status, text } = await callModel(gateway.origin, under(prefix, format), model, { fields })
    assert.equal(status, 200, text)
    const [call] = gateway.provider.calls
    assert.ok(call)
    return jsonOf(call)
  }

  test('transforms the body: overrides, expressions, defaults, aliases, prompts, then final expressions', async () => {
    assert.deepEqual(
      await sent('/changed', 'fast', { seed: 9, user: 'me', max_tokens: 5000, fails: 1, temperature: 1 }),
      {
        model: 'small-1',
        messages: [
          { role: 'system', content: 'Before.' },
          { role: 'user', content: 'hi' },
          { role: 'user', content: 'After.' },
        ],
        // Expressions see the request as the client sent it.
        seed: 1,
        user: 'overridden',
        max_tokens: 100,
        temperature: 0.25,
        from_override: 'saw 9',
        top_p: 0.5,
        // An expression removed it, and a default fills in what is missing.
        gone: 'default',
        metadata: { tier: 'final', temperature: '1' },
      },
    )
  })

  for (const [asked, model] of [
    ['fast', 'small-1'],
    ['fast-x', 'small-2'],
    ['fast-erer', 'small-3'],
    ['slow', 'slow'],
  ] as const)
    test(`resolves ${asked} to ${model}`, async () => {
      assert.equal((await sent('/changed', asked, { seed: 1, max_tokens: 1, temperature: 1 })).model, model)
    })

  test('takes the type of a request from its path, completion by default', async () => {
    const asked = (path: string, body: object) =>
      callModel(gateway.origin, { path: () => path, body: () => ({}) }, '', {
        body: JSON.stringify(body),
      })
    assert.equal((await asked('/changed/whatever', completions.body('slow'))).status, 200)
    const anthropic = await asked('/changed/v1/messages', messages.body('slow'))
    assert.match(anthropic.text, /"type":"message"/)
    const models = await asked('/changed/v1/models', {})
    assert.equal(models.status, 501)
    assert.match(models.text, /Route 'Models' not implemented/)
  })

  test('marks prompt cache points before added prompts, in every client format', async () => {
    gateway.provider.answer = jsonResponse(message)
    const tools = [{ type: 'function', function: { name: 't', parameters: { type: 'object' } } }]
    const cached = { type: 'ephemeral' }
    const body = await sent('/cached', 'any', {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
        { role: 'user', content: 'and?' },
      ],
      tools,
    })
    assert.partialDeepStrictEqual(body, { model: 'claude-pinned', stop_sequences: ['z'] })
    const marked = JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g)
    assert.equal(marked?.length, 3, JSON.stringify(body))
    assert.partialDeepStrictEqual(body, {
      system: [{ text: 'Be kind.', cache_control: cached }],
      tools: [{ name: 't', cache_control: cached }],
    })
    assert.deepEqual((body.messages as unknown[])[1], {
      role: 'assistant',
      content: [{ type: 'text', text: 'hello', cache_control: cached }],
    })
    assert.match(JSON.stringify(body.messages), /"text":"After\."\}\]\}\]$/)
    gateway.provider.answer = jsonResponse({})
  })

  test('of a provider applies to that provider, in the current priority group', async () => {
    gateway.provider.calls.length = 0
    const first = await callModel(gateway.origin, under('/grouped'), 'any')
    assert.equal((JSON.parse(first.text) as { model: string }).model, 'first')
    assert.equal(gateway.provider.calls.length, 0)
    const content = 'mock@first:error 500'
    await callModel(gateway.origin, under('/grouped'), 'any', {
      fields: { messages: [{ role: 'user', content }] },
    })
    const [call] = gateway.provider.calls
    assert.ok(call)
    assert.partialDeepStrictEqual(jsonOf(call), { model: 'second', user: 'of-second' })
    assert.equal(call.headers.authorization, 'Bearer of-second')
    assert.equal(call.path, '/v1/chat/completions')
  })

  test('defaults to completion without routes', async () => {
    const { status } = await callModel(gateway.origin, under('/grouped', responses), 'any')
    assert.equal(status, 400)
  })
})
