import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { xdsResource } from '../../../../src/config/xds/xds-resource.ts'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../../src/controller/graph/query.ts'
import { objectFormContext } from '../../../../src/controller/translate/policy/object-form-context.ts'
import { proxyRefusal } from '../../../../src/controller/translate/proxy-check.ts'
import type { AiBackendForm } from '../../../../src/operators/llm/kubernetes/ai-backend-field.ts'
import { aiBackendOf } from '../../../../src/operators/llm/kubernetes/ai-backend.ts'

/** `ai` of a ProxyBackend in the notation of a file, and what is reported. Policies become a header with their path. */
const translated = (form: AiBackendForm) => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
  })
  graph.set('Service', 'ns/vllm', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'vllm', namespace: 'ns' },
    spec: { ports: [{ port: 8000 }] },
  })
  const query = defineQuery('translated', (reads) => {
    const problems: string[] = []
    const holder = {
      kind: 'ProxyBackend',
      namespace: 'ns',
      references: new Set<string>(),
      keySets: new Map(),
    } as const
    const context = objectFormContext(reads, holder, (message) => problems.push(message))
    const ai = aiBackendOf(form, context, (_, path) => ({ requestHeaderModifier: { set: { path } } }))
    return { ai, problems, references: [...holder.references] }
  })
  const outcome = graph.read(query, '')
  if (outcome.ai)
    assert.equal(
      proxyRefusal(xdsResource('backend', 'ns/one', { name: 'ns/one', ai: outcome.ai })),
      undefined,
    )
  return outcome
}

const onlyProvider = (provider: NonNullable<AiBackendForm['provider']>) => {
  const { ai, problems } = translated({ provider })
  assert.deepEqual(problems, [])
  assert.ok(ai && !('groups' in ai))
  const { name, ...rest } = ai
  assert.equal(name, 'backend')
  return rest
}

const model = 'm'

suite('a provider of a ProxyBackend', () => {
  const kinds = [
    [{ openai: {} }, { openAI: {} }],
    [
      {
        openai: {
          model,
          moderation: { model: 'o', policy: { input: { mode: 'Block' }, output: { mode: 'Score' } } },
        },
      },
      {
        openAI: {
          model,
          moderation: { model: 'o', policy: { input: { mode: 'block' }, output: { mode: 'score' } } },
        },
      },
    ],
    [{ openai: { moderation: {} } }, { openAI: { moderation: {} } }],
    [{ anthropic: { model } }, { anthropic: { model } }],
    [{ gemini: { model } }, { gemini: { model } }],
    [
      { vertexai: { projectId: 'p', region: 'global', model } },
      { vertex: { projectId: 'p', region: 'global', model } },
    ],
    [{ bedrock: {} }, { bedrock: { region: 'us-east-1' } }],
    [
      { bedrock: { region: 'eu-central-1', model, guardrail: { identifier: 'g', version: '2' } } },
      { bedrock: { region: 'eu-central-1', model, guardrailIdentifier: 'g', guardrailVersion: '2' } },
    ],
    [
      { azure: { resourceName: 'r', resourceType: 'OpenAI', apiVersion: 'preview', model } },
      { azure: { resourceName: 'r', resourceType: 'openAI', apiVersion: 'preview', model } },
    ],
    [
      { azure: { resourceName: 'r', resourceType: 'Foundry', projectName: 'p' } },
      { azure: { resourceName: 'r', resourceType: 'foundry', projectName: 'p' } },
    ],
    [
      { azureopenai: { endpoint: 'Res.openai.azure.com', deploymentName: model, apiVersion: '2024-10-21' } },
      { azure: { resourceName: 'Res', resourceType: 'openAI', apiVersion: '2024-10-21', model } },
    ],
    [
      { azureopenai: { endpoint: 'https://res.openai.azure.com/' } },
      { azure: { resourceName: 'res', resourceType: 'openAI' } },
    ],
  ] as const
  for (const [form, provider] of kinds)
    test(`is ${JSON.stringify(form)}`, () => {
      assert.deepEqual(onlyProvider(form), { provider })
    })

  test('has the address and the paths that are given', () => {
    const openAI = { provider: { openAI: {} } }
    const host = { openai: {}, host: 'openai.example.com', port: 8443 }
    const hostOverride = 'openai.example.com:8443'
    assert.deepEqual(onlyProvider(host), { ...openAI, hostOverride })
    assert.deepEqual(onlyProvider({ ...host, path: '/chat?a=b' }), {
      ...openAI,
      hostOverride,
      pathOverride: '/chat?a=b',
    })
    assert.deepEqual(onlyProvider({ ...host, pathPrefix: '/openai/' }), {
      ...openAI,
      hostOverride,
      pathPrefix: '/openai/',
    })
    for (const address of ['::1', '[::1]'])
      assert.deepEqual(onlyProvider({ openai: {}, host: address, port: 80 }), {
        ...openAI,
        hostOverride: '[::1]:80',
      })
  })

  test('is Azure at an endpoint of its own, with TLS and the paths of Azure', () => {
    assert.deepEqual(onlyProvider({ azureopenai: { endpoint: 'https://ai.example.com:8443' } }), {
      provider: { azure: { resourceName: 'ai', resourceType: 'openAI' } },
      hostOverride: 'ai.example.com:8443',
      pathPrefix: '/',
      policies: { backendTLS: {} },
    })
  })

  test('is a custom one at a host', () => {
    const custom = {
      model,
      formats: [{ type: 'AnthropicTokenCount' }, { type: 'Messages', path: '/m' }],
    } as const
    assert.deepEqual(onlyProvider({ custom, host: 'a.example.com', port: 80 }), {
      provider: {
        custom: { model, formats: [{ type: 'anthropicTokenCount' }, { type: 'messages', path: '/m' }] },
      },
      hostOverride: 'a.example.com:80',
    })
  })

  test('is a custom one that is a Service', () => {
    const formats = [{ type: 'Completions' }, { type: 'Embeddings' }] as const
    const form = { provider: { custom: { formats, backendRef: { name: 'vllm', port: 8000 } } } }
    assert.deepEqual(translated(form), {
      ai: {
        name: 'backend',
        provider: { custom: { formats: [{ type: 'completions' }, { type: 'embeddings' }] } },
        service: { name: 'ns/vllm.ns.svc.cluster.local', port: 8000 },
      },
      problems: [],
      references: ['Service/ns/vllm'],
    })
  })

  const formats = [{ type: 'Rerank' }, { type: 'Realtime' }, { type: 'Responses' }] as const
  const unusable = [
    [{ custom: { formats, backendRef: { name: 'gone', port: 80 } } }, 'Service ns/gone was not found'],
    [
      {
        custom: {
          formats,
          backendRef: { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'p' },
        },
      },
      /InferencePool/,
    ],
    [
      { azureopenai: { endpoint: 'https://ai.example.com/path' } },
      'provider.azureopenai.endpoint "https://ai.example.com/path" is no host name',
    ],
    [{ cohere: {} }, 'provider has no kind that is known'],
  ] as const
  for (const [provider, problem] of unusable)
    test(`is reported where it cannot be used: ${JSON.stringify(provider)}`, () => {
      const { ai, problems } = translated({ provider })
      assert.equal(ai, undefined)
      if (typeof problem === 'string') assert.deepEqual(problems, [problem])
      else assert.match(problems.join('; '), problem)
    })
})

suite('groups of providers of a ProxyBackend', () => {
  test('keep their order, and their policies', () => {
    const form = {
      groups: [
        {
          providers: [
            { name: 'a', openai: {}, policies: { http: {} } },
            { name: 'b', gemini: {} },
          ],
        },
        { providers: [{ name: 'c', anthropic: {} }] },
      ],
    }
    const path = { requestHeaderModifier: { set: { path: 'groups[0].providers[0].policies' } } }
    assert.deepEqual(translated(form).ai, {
      groups: [
        {
          providers: [
            { name: 'a', provider: { openAI: {} }, policies: path },
            { name: 'b', provider: { gemini: {} } },
          ],
        },
        { providers: [{ name: 'c', provider: { anthropic: {} } }] },
      ],
    })
  })

  test('may have providers of the same name', () => {
    const providers = [{ name: 'a', openai: {} }]
    const { ai } = translated({ groups: [{ providers }, { providers }, { providers }] })
    assert.ok(ai && 'groups' in ai)
    assert.deepEqual(
      ai.groups.flatMap(({ providers }) => providers.map(({ name }) => name)),
      ['a', 'a/1', 'a/2'],
    )
  })

  test('are without the providers that cannot be used', () => {
    const gone = {
      name: 'gone',
      custom: { formats: [{ type: 'Messages' }], backendRef: { name: 'gone', port: 80 } },
    } as const
    const { ai, problems } = translated({
      groups: [{ providers: [gone] }, { providers: [gone, { name: 'a', openai: {} }] }],
    })
    assert.deepEqual(ai, { groups: [{ providers: [{ name: 'a', provider: { openAI: {} } }] }] })
    assert.deepEqual(problems, ['Service ns/gone was not found', 'Service ns/gone was not found'])
    assert.equal(translated({ groups: [{ providers: [gone] }] }).ai, undefined)
  })
})
