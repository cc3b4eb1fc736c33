import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { resolvedLlmBackend } from '../../src/config/merge-llm-policies.ts'
import { mergePolicies } from '../../src/config/merge-policies.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { problemsOf } from './fixtures.ts'

/** The providers of a backend with the policies that are in force, by name. */
const providersOf = (ai: object, ...policies: readonly object[]) => {
  const file = {
    backends: [{ name: 'models', policies: { ai: { defaults: { a: 'backend', b: 'backend' } } }, ai }],
    policies: policies.map((policy, i) => ({ name: { name: `p${i}` }, ...policy })),
  }
  const { resources } = parseConfig(JSON.stringify(file), 'sections.yaml', {})
  const [backend] = mergePolicies(resources).backends
  assert.ok(backend?.spec.type === 'llm')
  const { choice, routes } = resolvedLlmBackend(backend.spec, backend.policies, backend.sectionPolicies)
  assert.ok(choice.by === 'groups')
  return { routes, byName: Object.fromEntries(choice.groups.flat().map((one) => [one.name, one])) }
}

const mock = (name: string, policies: object = {}) => ({ name, provider: { mock: {} }, policies })

const at = (section: string, policy: object) => ({
  target: { backend: { backend: { name: 'models', section } } },
  policy,
})

suite('policies of a section of a backend', () => {
  const one = at('one', {
    ai: {
      defaults: { b: 'section', c: 'section' },
      overrides: { d: 'section' },
      promptGuard: { request: [{ regex: { rules: [{ builtin: 'email' }] } }] },
    },
  })
  const fast = at('one', { http: { requestTimeout: '1s' } })

  test('are those of one provider', () => {
    const { byName } = providersOf(
      { groups: [{ providers: [mock('one')] }, { providers: [mock('two')] }] },
      one,
      fast,
    )
    assert.equal(byName.one?.policies.http?.requestTimeoutMs, 1000)
    assert.equal(byName.one.guards?.request.length, 1)
    assert.deepEqual(byName.one.mutation.overrides, { d: 'section' })
    assert.deepEqual(byName.one.mutation.defaults, { a: 'backend', b: 'section', c: 'section' })
    assert.equal(byName.two?.policies.http, undefined)
    assert.equal(byName.two?.guards, undefined)
    assert.deepEqual(byName.two?.mutation.defaults, { a: 'backend', b: 'backend' })
  })

  test('are outside of those that the provider has itself', () => {
    const own = {
      ai: { defaults: { c: 'own' }, promptGuard: { request: [{ invalid: 'own' }] } },
      http: { requestTimeout: '2s' },
    }
    const { byName } = providersOf(mock('one', own), one, fast)
    assert.equal(byName.one?.policies.http?.requestTimeoutMs, 2000)
    assert.deepEqual(byName.one.mutation.defaults, { a: 'backend', b: 'section', c: 'own' })
    assert.deepEqual(
      byName.one.guards?.request.map(({ kind }) => kind),
      [{ type: 'invalid', reason: 'own' }],
    )
  })

  test('have the formats of the only provider', () => {
    const routes = { '*': 'messages' }
    assert.deepEqual(providersOf(mock('one'), at('one', { ai: { routes } })).routes, [
      { suffix: '*', type: 'messages' },
    ])
  })

  test('are those of all providers of a name, by which control planes name them', () => {
    const { byName } = providersOf(
      { groups: [{ providers: [mock('one')] }, { providers: [mock('one/1')] }] },
      fast,
    )
    assert.equal(byName['one/1']?.policies.http?.requestTimeoutMs, 1000)
  })

  test('win over those of the whole backend', () => {
    const whole = { ...at('one', { http: { requestTimeout: '3s' } }) }
    const { byName } = providersOf({ groups: [{ providers: [mock('one'), mock('two')] }] }, fast, {
      ...whole,
      target: { backend: { backend: { name: 'models' } } },
    })
    assert.equal(byName.one?.policies.http?.requestTimeoutMs, 1000)
  })

  test('need a section that there is', () => {
    const config = (section: string) => `
backends:
  - { name: models, ai: { name: one, provider: { mock: {} } } }
  - { name: tools, mcp: { targets: [{ name: files, mcp: { host: 'localhost:80' } }] } }
policies:
  - name: { name: a }
    target: { backend: { backend: { name: models, section: ${section} } } }
    policy: { http: {} }
  - name: { name: b }
    target: { backend: { backend: { name: tools, section: files } } }
    policy: { http: {} }
`
    assert.equal(problemsOf(config('one'), 'a.yaml'), 'no problems')
    assert.match(
      problemsOf(config('ones'), 'a.yaml'),
      /section: "ones" is not a known provider or MCP server of models\n {4}hint: did you mean "one"\?/,
    )
  })
})
