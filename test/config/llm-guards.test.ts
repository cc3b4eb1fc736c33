import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dumpConfig } from '../../src/config/dump.ts'
import { resolvedLlmBackend } from '../../src/config/merge-llm-policies.ts'
import { parseConfig } from '../../src/config/parse.ts'
import type { LlmGuards } from '../../src/operators/llm/guardrails/schema/normal-form.ts'
import type { LlmBackend, LlmPolicy, LlmProvider } from '../../src/model/llm/llm-backend.ts'
import { problemsOf, warningsOf } from './fixtures.ts'

const load = (text: string) => parseConfig(text, 'a.yaml', {})

const llmBackend = (text: string): LlmBackend => {
  const found = load(text).resources.backends.find(({ spec }) => spec.type === 'llm')?.spec
  assert.ok(found?.type === 'llm')
  return found
}

const providersOf = ({ choice }: LlmBackend): readonly LlmProvider[] =>
  choice.by === 'groups' ? choice.groups.flat() : choice.models.map(({ provider }) => provider)

const guardsOf = (text: string): LlmGuards | undefined => providersOf(llmBackend(text))[0]?.guards

/** The patterns of regex guards, as the names of the guards. */
const names = (guards: LlmGuards | undefined, phase: 'request' | 'response' = 'request'): unknown =>
  guards?.[phase].map(
    ({ kind }) => kind.type === 'regex' && kind.rules.map((rule): unknown => Object.values(rule)[0]),
  )

const regex = (pattern: string): string => `{regex: {rules: [{pattern: ${pattern}}]}}`

test('guards of the section llm', async (t) => {
  await t.test('combine those of the policies, of the section and of the model, in that order', () => {
    const both = (name: string) =>
      `{request: [${regex(`${name}1`)}, ${regex(`${name}2`)}], response: [${regex(`${name}3`)}]}`
    const guards = guardsOf(`llm:
  models: [{name: m, provider: mock, guardrails: ${both('c')}}]
  guardrails: ${both('b')}
  policies: {guardrails: ${both('a')}}
`)
    assert.deepEqual(names(guards), [['a1'], ['a2'], ['b1'], ['b2'], ['c1'], ['c2']])
    assert.deepEqual(names(guards, 'response'), [['a3'], ['b3'], ['c3']])
  })

  await t.test('are separate for each model', () => {
    const backend = llmBackend(
      `llm: {models: [{name: a, provider: mock, guardrails: {request: [${regex('x')}]}}, {name: b, provider: mock}]}`,
    )
    assert.deepEqual(
      providersOf(backend).map(({ guards }) => names(guards)),
      [[['x']], undefined],
    )
  })

  await t.test('apply to a model that refers to a provider', () => {
    const guards = guardsOf(`llm:
  providers: [{name: p, provider: mock}]
  models: [{name: m, provider: {reference: p}, guardrails: {request: [${regex('x')}]}}]
`)
    assert.deepEqual(names(guards), [['x']])
  })

  await t.test('are empty if only stream settings are given', () => {
    assert.equal(
      guardsOf(
        'llm: {models: [{name: m, provider: mock, guardrails: {streaming: Enabled}}], guardrails: {}}',
      ),
      undefined,
    )
  })

  await t.test('use the stream settings of the innermost level that has any', () => {
    const streaming = (policies: string, section: string, model: string) =>
      guardsOf(`llm:
  models: [{name: m, provider: mock, guardrails: {response: [${regex('x')}]${model}}}]
  guardrails: {${section}}
  policies: {guardrails: {${policies}}}
`)?.streaming
    const enabled = { mode: 'Enabled', windowBytes: 1024, overlapBytes: 256 }
    assert.deepEqual(streaming('', '', ''), { mode: 'Buffer' })
    assert.deepEqual(streaming('streaming: Enabled', '', ''), enabled)
    assert.deepEqual(streaming('streaming: Enabled', 'streaming: Disabled', ''), { mode: 'Disabled' })
    assert.deepEqual(streaming('streaming: Enabled', 'streaming: Disabled', ', streaming: Buffer'), {
      mode: 'Buffer',
    })
    assert.deepEqual(streaming('', '', ', streaming: {mode: Enabled, windowBytes: 300}'), {
      ...enabled,
      windowBytes: 300,
    })
  })
})

test('promptGuard of the policy ai', async (t) => {
  const settled = (text: string): LlmGuards | undefined => {
    const { resources } = load(text)
    const backend = resources.backends.find(({ spec }) => spec.type === 'llm')
    const route = resources.binds[0]?.listeners[0]?.routes[0]
    assert.ok(backend?.spec.type === 'llm' && route)
    const ai: LlmPolicy | undefined = backend.policies.ai ?? route.policies.ai
    return providersOf(resolvedLlmBackend(backend.spec, ai ? { ai } : {}))[0]?.guards
  }
  const config = (policies: string, provider: string) => `
gateways: {default: {port: 3000}}
routes:
  - policies: {${policies}}
    backends: [{ai: {name: a, provider: {mock: {}}${provider}}}]
`
  const guarded = (name: string) => `ai: {promptGuard: {request: [${regex(name)}]}}`

  await t.test('applies to every provider', () => {
    assert.deepEqual(names(settled(config(guarded('route'), ''))), [['route']])
  })

  await t.test('of a provider replaces that of a route', () => {
    const text = config(guarded('route'), `, policies: {${guarded('provider')}}`)
    assert.deepEqual(names(settled(text)), [['provider']])
  })

  await t.test('without guards disables them', () => {
    const text = config(guarded('route'), ', policies: {ai: {promptGuard: {}}}')
    assert.deepEqual(names(settled(text)), [])
    assert.deepEqual(warningsOf(text, 'a.yaml'), [
      '5:69 prompt_guard_empty: has no guards, and takes the place of those that policies further out have',
    ])
  })

  await t.test('changes no other request settings', () => {
    const backend = llmBackend(config('', `, policies: {${guarded('provider')}}`))
    const [provider] = providersOf(backend)
    assert.deepEqual(Object.keys(provider?.mutation ?? {}), [
      'overrides',
      'transformation',
      'defaults',
      'modelAliases',
      'finalTransformation',
    ])
    const merged = resolvedLlmBackend(backend, { ai: { promptGuard: none } })
    assert.ok(!('promptGuard' in (providersOf(merged)[0]?.mutation ?? {})))
  })

  await t.test('adds to the guards of models in their section', () => {
    const backend = llmBackend(
      `llm: {models: [{name: m, provider: mock, guardrails: {request: [${regex('own')}], streaming: Enabled}}]}`,
    )
    const outer = guardsOf(
      `llm: {models: [{name: m, provider: mock, guardrails: {request: [${regex('policy')}]}}]}`,
    )
    assert.ok(outer)
    const guards = providersOf(resolvedLlmBackend(backend, { ai: { promptGuard: outer } }))[0]?.guards
    assert.deepEqual(names(guards), [['policy'], ['own']])
    assert.equal(guards?.streaming.mode, 'Enabled')
  })
})

const none: LlmGuards = { request: [], response: [], streaming: { mode: 'Buffer' } }

test('a guard', async (t) => {
  const first = (guard: string) =>
    guardsOf(`llm: {models: [{name: m, provider: mock, guardrails: {request: [${guard}]}}]}`)?.request[0]

  await t.test('checks the configured scope, or the default of its kind', () => {
    const ssn = 'regex: {rules: [{builtin: ssn}]}'
    const scopes = (guard: string) => [...(first(`{${guard}}`)?.scopes ?? [])]
    assert.deepEqual(scopes(ssn), ['systemPrompt', 'messages', 'toolOutput', 'toolInput'])
    assert.deepEqual(scopes(`${ssn}, scope: [toolOutput]`), ['toolOutput'])
    const hook = 'webhook: {target: {host: "localhost:8000"}}'
    assert.deepEqual(scopes(hook), ['systemPrompt', 'messages', 'toolOutput', 'toolInput'])
    assert.deepEqual(scopes(`${hook}, scope: [messages, systemPrompt]`), ['messages', 'systemPrompt'])
  })

  await t.test('for a webhook is configured as the contract documents', () => {
    const text = `llm:
  models:
    - name: '*'
      provider: openAI
      params: { model: gpt-4o, apiKey: k }
  guardrails:
    request:
      - webhook:
          target: { host: webhook.example:8000 }
          headers:
            :path: '"/v2/request"'
            x-user: jwt.sub
            x-team: request.headers["x-team"]
            x-model: llmRequest.model
    response:
      - webhook:
          target: { host: webhook.example:8000 }
          headers:
            x-user: jwt.sub
`
    assert.deepEqual(warningsOf(text, 'a.yaml'), [])
    const guards = guardsOf(text)
    assert.deepEqual(guards?.request[0]?.kind, {
      type: 'webhook',
      service: { backend: { kind: 'host', target: { host: 'webhook.example', port: 8000 } }, policies: {} },
      headers: [
        [':path', '"/v2/request"'],
        ['x-user', 'jwt.sub'],
        ['x-team', 'request.headers["x-team"]'],
        ['x-model', 'llmRequest.model'],
      ],
      forwardHeaders: [],
      failureMode: 'failClosed',
    })
    assert.deepEqual(guards.request[0].rejection, {
      status: 403,
      body: 'The request was rejected due to inappropriate content',
      headers: { add: [], set: [], remove: [] },
    })
  })

  await t.test('with another scope is another configuration', () => {
    const hash = (scope: string) =>
      load(
        `llm: {models: [{name: m, provider: mock, guardrails: {request: [{regex: {rules: [{builtin: ssn}]}, scope: [${scope}]}]}}]}`,
      ).hash
    assert.notEqual(hash('messages'), hash('toolOutput'))
    assert.equal(hash('messages'), hash('messages'))
  })

  await t.test('of a cloud service accepts only names that are safe in a URL path', () => {
    const armor = (field: string, value: string) =>
      problemsOf(
        `llm: {models: [{name: m, provider: mock, guardrails: {request: [{googleModelArmor: ${JSON.stringify({ templateId: 't', projectId: 'p', [field]: value })}}]}}]}`,
        'a.yaml',
      )
    for (const value of ['..', '.', 'a/b', 'a%2Fb', 'a?b', 'a#b', 'a b', 'a\\b', 'a\nb', '', '-a'])
      for (const field of ['templateId', 'projectId'])
        assert.match(armor(field, value), /becomes a part of an address/, `${field} ${JSON.stringify(value)}`)
    for (const value of ['a.b', 'a/b', 'a:80', 'A', 'a@b', '', 'a_b', '-a', 'a\n'])
      assert.match(armor('location', value), /becomes a part of a host name/, JSON.stringify(value))
    assert.equal(armor('projectId', 'example.com:team-1'), 'no problems')
    assert.equal(armor('location', 'europe-west4'), 'no problems')
  })

  await t.test('of Azure has an endpoint, with or without a scheme', () => {
    const target = (endpoint: string) => {
      const kind = first(`{azureContentSafety: {endpoint: '${endpoint}', analyzeText: {}}}`)?.kind
      assert.ok(kind?.type === 'azureContentSafety')
      const { backend, policies } = kind.service
      return [backend.kind === 'host' && backend.target, policies.backendTLS !== undefined]
    }
    const host = 'a.cognitiveservices.azure.com'
    assert.deepEqual(target(host), [{ host, port: 443 }, true])
    assert.deepEqual(target(`https://${host}/`), [{ host, port: 443 }, true])
    assert.deepEqual(target(`HTTPS://${host}:8443`), [{ host, port: 8443 }, true])
    assert.deepEqual(target('http://127.0.0.1'), [{ host: '127.0.0.1', port: 80 }, false])
    assert.deepEqual(target('http://[::1]:81'), [{ host: '::1', port: 81 }, false])
    for (const wrong of [
      'https://a/b',
      'a?b',
      'ftp://a',
      'https://u@a',
      'a:0',
      'a:99999',
      '',
      'https://',
      'a#',
    ])
      assert.match(
        problemsOf(
          `llm: {models: [{name: m, provider: mock, guardrails: {request: [{azureContentSafety: {endpoint: '${wrong}', analyzeText: {}}}]}}]}`,
          'a.yaml',
        ),
        /must be a host such as/,
        wrong,
      )
  })

  await t.test('is dumped without its secrets', () => {
    const dump = JSON.stringify(
      dumpConfig(
        load(`llm:
  models: [{name: m, provider: mock}]
  guardrails:
    request:
      - openAIModeration: {policies: {backendAuth: {key: sk-very-secret}}}
      - webhook:
          target: {host: "localhost:8000"}
          headers: {authorization: "'Bearer very-secret'"}
      - {regex: {rules: [{builtin: ssn}]}, scope: [toolInput]}
    response: [{regex: {rules: [{pattern: x}]}}]
    streaming: Enabled
`),
        { version: '1', gitRevision: 'x' },
      ),
    )
    assert.doesNotMatch(dump, /very-secret/)
    assert.match(dump, /"guardrails":\{"request":\[\{"openAIModeration":\{/)
    assert.match(dump, /"scope":\["toolInput"\]/)
    assert.match(dump, /"response":\[\{"regex":\{"action":"mask","rules":\[\{"pattern":"x"\}\]\}/)
    assert.match(dump, /"streaming":\{"mode":"Enabled","windowBytes":1024,"overlapBytes":256\}/)
  })
})
