import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dumpConfig } from '../../src/config/dump.ts'
import { ConfigError } from '../../src/config/errors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { resolvedLlmBackend } from '../../src/config/merge-llm-policies.ts'
import { mergePolicies } from '../../src/config/merge-policies.ts'
import { parseConfig } from '../../src/config/parse.ts'
import type { LlmBackend, LlmModel, LlmProvider } from '../../src/model/llm/llm-backend.ts'
import type { Backend, Resources } from '../../src/model/resources/resources.ts'

const folder = await mkdtemp(join(tmpdir(), 'llm-config-'))
after(() => rm(folder, { recursive: true }))

const resourcesOf = (text: string, env: Record<string, string> = {}): Resources =>
  parseConfig(text, 'a.yaml', env).resources

const llmBackend = ({ backends }: Resources): Backend & { readonly spec: LlmBackend } => {
  const [found] = backends.flatMap((backend) =>
    backend.spec.type === 'llm' ? [{ ...backend, spec: backend.spec }] : [],
  )
  assert.ok(found)
  return found
}

const modelsOf = ({ choice }: LlmBackend): readonly LlmModel[] => {
  assert.equal(choice.by, 'model')
  return choice.models
}

const providersOf = ({ choice }: LlmBackend): readonly LlmProvider[] => {
  assert.equal(choice.by, 'groups')
  return choice.groups.flat()
}

const onlyModel = (fields: string): LlmModel => {
  const [model] = modelsOf(llmBackend(resourcesOf(`llm: {models: [{name: a, ${fields}}]}`)).spec)
  assert.ok(model)
  return model
}

test('the section llm', async (t) => {
  const ports = (text: string) => resourcesOf(text).binds.map(({ key }) => key)

  await t.test('has its own port if no gateway is named default', () => {
    assert.deepEqual(ports('llm: {models: []}'), ['bind/4000'])
    assert.deepEqual(ports('{llm: {models: []}, gateways: {other: {port: 3000}}}'), [
      'bind/3000',
      'bind/4000',
    ])
    assert.deepEqual(ports('llm: {models: [], port: 4100}'), ['bind/4100'])
  })

  await t.test('attaches to the gateway named default, and gets what no other route matches', () => {
    const { binds } = resourcesOf(
      '{gateways: {default: {port: 3000}}, llm: {models: []}, mcp: {targets: []}, routes: [{name: r, policies: {directResponse: {status: 200}}}]}',
    )
    const routes = binds.flatMap(({ listeners }) => listeners.flatMap((listener) => listener.routes))
    assert.deepEqual(
      routes.map(({ namespace, name }) => `${namespace}/${name}`),
      ['default/r', 'internal/mcp', 'internal/llm:request'],
    )
    assert.deepEqual(routes.at(-1)?.matches, [{ path: { pathPrefix: '/' } }])
  })

  await t.test('is one backend behind all gateways that it names', () => {
    const { binds, backends } = resourcesOf(
      '{gateways: {a: {port: 3000}, b: {port: 3001}}, llm: {gateways: [a, b], models: [{name: m, provider: mock}]}}',
    )
    const targets = binds.flatMap(({ listeners }) =>
      listeners.flatMap(({ routes }) =>
        routes.flatMap((route) => route.backends.map(({ target }) => target)),
      ),
    )
    assert.deepEqual(targets, [
      { kind: 'backend', key: 'internal/llm:router' },
      { kind: 'backend', key: 'internal/llm:router' },
    ])
    assert.deepEqual(
      backends.map(({ key }) => key),
      ['internal/llm:router'],
    )
  })

  await t.test('accepts policies that are attached to its route', () => {
    const resources = mergePolicies(
      resourcesOf(
        '{llm: {models: []}, policies: [{name: {name: p}, target: {route: {namespace: internal, name: "llm:request"}}, policy: {csrf: {}}}]}',
      ),
    )
    assert.ok(resources.binds[0]?.listeners[0]?.routes[0]?.policies.csrf)
  })

  await t.test('lists exact models first, and equals in file order', () => {
    const { spec } = llmBackend(
      resourcesOf(
        'llm: {models: [{name: "*", provider: mock}, {name: "gpt-*", provider: mock}, {name: "*-mini", provider: mock}, {name: gpt-5, provider: mock}]}',
      ),
    )
    assert.deepEqual(
      modelsOf(spec).map(({ name }) => name),
      ['*-mini', 'gpt-5', 'gpt-*', '*'],
    )
  })
})

test('a target of a virtual model may be the id of a model', () => {
  const text = (id: string) =>
    `llm: {models: [{id: one, name: a, provider: mock}, {id: two, name: a, provider: mock}], virtualModels: [{name: v, routing: {weighted: {targets: [{model: b, id: ${id}}]}}}]}`
  const { choice } = llmBackend(resourcesOf(text('two'))).spec
  assert.ok(choice.by === 'model')
  assert.deepEqual(choice.virtualModels, [
    { name: 'v', routing: { weighted: [{ model: 'b', id: 'two', weight: 1 }] } },
  ])
  assert.throws(() => resourcesOf(text('three')), /"three" is the id of none of llm\.models/)
})

test('the connection to a provider', async (t) => {
  await t.test('is encrypted only if its address has an https scheme', () => {
    const secure = onlyModel("provider: openai, params: {baseUrl: 'https://a.example'}").provider
    assert.deepEqual(secure.destination, { kind: 'host', target: { host: 'a.example', port: 443 } })
    assert.equal(secure.settings.pathPrefix, '')
    assert.ok(secure.policies.backendTLS)
    const plain = onlyModel("provider: openai, params: {baseUrl: 'http://[::1]:8080/v1/'}").provider
    assert.deepEqual(plain.destination, { kind: 'host', target: { host: '::1', port: 8080 } })
    assert.equal(plain.settings.pathPrefix, '/v1')
    assert.deepEqual([plain.usual, plain.policies], [{}, {}])
  })

  await t.test('uses the configured path, whatever the base URL has', () => {
    const { settings, destination } = onlyModel(
      "provider: openai, params: {baseUrl: 'http://a.example/v1', hostOverride: 'b.example:1', pathPrefix: /v2}",
    ).provider
    assert.deepEqual(settings, { hostOverridden: true, pathPrefix: '/v2' })
    assert.deepEqual(destination, { kind: 'host', target: { host: 'b.example', port: 1 } })
  })

  await t.test('may be one to a service', () => {
    const text =
      'services: [{name: s, namespace: n, hostname: s.n, ports: {"8000": 8000}}]\nllm: {models: [{name: a, provider: {custom: {formats: [{type: completions}]}}, params: {service: {name: n/s.n, port: 8000}}}]}'
    const [model] = modelsOf(llmBackend(resourcesOf(text)).spec)
    assert.deepEqual(model?.provider.destination, { kind: 'service', name: 'n/s.n', port: 8000 })
    assert.deepEqual([model.provider.usual, model.provider.policies], [{}, {}])
    assert.throws(() => resourcesOf(text.replace('n/s.n', 'n/t.n')), /n\/t\.n/)
    assert.throws(
      () => resourcesOf(text.replace('params: {', "params: {baseUrl: 'http://a.example', ")),
      /service: cannot be set with 'baseUrl' or 'hostOverride'/,
    )
  })

  await t.test('of Bedrock may have a guardrail, with its version', () => {
    const { settings } = onlyModel(
      "provider: bedrock, params: {awsRegion: r, awsGuardrailIdentifier: g, awsGuardrailVersion: '1'}",
    ).provider
    assert.deepEqual(settings.guardrail, { id: 'g', version: '1' })
    assert.throws(
      () => onlyModel('provider: bedrock, params: {awsRegion: r, awsGuardrailIdentifier: g}'),
      /belong together/,
    )
  })

  await t.test('goes to a preset unless another address is given', () => {
    const usual = onlyModel('provider: groq').provider
    assert.deepEqual(usual.destination, { kind: 'host', target: { host: 'api.groq.com', port: 443 } })
    assert.deepEqual([usual.kind, usual.telemetryName], ['custom', 'groq'])
    assert.equal(usual.settings.pathPrefix, '/openai/v1')
    const other = onlyModel("provider: groq, params: {baseUrl: 'http://localhost:1/x'}").provider
    assert.deepEqual(other.destination, { kind: 'host', target: { host: 'localhost', port: 1 } })
    assert.equal(other.settings.pathPrefix, '/x')
    assert.deepEqual(other.settings.formats, usual.settings.formats)
  })

  await t.test('uses the innermost setting: of the provider, of the backend, then the default', () => {
    const resources = resourcesOf(
      '{backends: [{name: b, policies: {backendAuth: {key: outer}, http: {requestTimeout: 1s}}, ai: {groups: [{providers: [{name: z, provider: {azure: {resourceName: r, resourceType: openAI}}}, {name: k, provider: {openAI: {}}, policies: {backendAuth: {key: inner}}}]}]}}]}',
    )
    const { spec, policies } = llmBackend(resources)
    const [azure, openai] = providersOf(resolvedLlmBackend(spec, policies))
    const keyOf = (provider: LlmProvider | undefined) => {
      const auth = provider?.policies.backendAuth
      return auth && 'key' in auth ? auth.key.value.secret : auth
    }
    assert.deepEqual([keyOf(azure), keyOf(openai)], ['outer', 'inner'])
    assert.deepEqual(
      [azure, openai].map((one) => [
        one?.policies.http?.requestTimeoutMs,
        one?.policies.backendTLS?.insecure,
      ]),
      [
        [1000, false],
        [1000, false],
      ],
    )
    const [alone] = providersOf(resolvedLlmBackend(spec, {}))
    assert.deepEqual(keyOf(alone), { azure: { implicit: {} }, credentials: [] })
  })
})

test('the policy ai', async (t) => {
  const settled = (fields: string, policy: string): LlmBackend => {
    const { spec, policies } = llmBackend(
      resourcesOf(`{backends: [{name: b, policies: {ai: ${policy}}, ai: ${fields}}]}`),
    )
    return resolvedLlmBackend(spec, policies)
  }

  await t.test('merges field by field, and inner levels win', () => {
    const [provider] = providersOf(
      settled(
        '{name: a, provider: {mock: {}}, policies: {ai: {defaults: {b: inner}, modelAliases: {x: y}}}}',
        '{defaults: {a: outer, b: outer}, overrides: {c: 1}, modelAliases: {v: w}, prompts: {append: [{role: user, content: hi}]}}',
      ),
    )
    assert.deepEqual(provider?.mutation, {
      overrides: { c: 1 },
      transformation: {},
      defaults: { a: 'outer', b: 'inner' },
      modelAliases: [['x', 'y']],
      finalTransformation: {},
      prompts: { prepend: [], append: [{ role: 'user', content: 'hi' }] },
    })
  })

  await t.test('sets the route type; the default is chat completions', () => {
    assert.deepEqual(settled('{name: a, provider: {mock: {}}}', '{}').routes, [
      { suffix: '*', type: 'completions' },
    ])
    assert.deepEqual(
      settled('{name: a, provider: {mock: {}}}', '{routes: {/b: messages, /aaa: detect}}').routes,
      [
        { suffix: '/aaa', type: 'detect' },
        { suffix: '/b', type: 'messages' },
        { suffix: '*', type: 'completions' },
      ],
    )
  })

  await t.test('of the only provider is the innermost, also for requests', () => {
    const alone = "{name: a, provider: {mock: {}}, policies: {ai: {routes: {'*': rerank}}}}"
    const { routes, choice } = settled(alone, "{routes: {'*': messages}}")
    assert.deepEqual(routes, [{ suffix: '*', type: 'rerank' }])
    assert.ok(choice.by === 'groups' && choice.groups[0]?.[0]?.policies.ai === undefined)
    const two = `{groups: [{providers: [${alone}, {name: b, provider: {mock: {}}}]}]}`
    assert.deepEqual(settled(two, "{routes: {'*': messages}}").routes, [{ suffix: '*', type: 'messages' }])
  })

  await t.test('merges with one that is attached to its backend', () => {
    const { policies } = mergePolicies(
      resourcesOf(
        '{backends: [{name: b, policies: {ai: {defaults: {a: 2}}}, ai: {name: a, provider: {mock: {}}}}], policies: [{name: {name: p}, target: {backend: {backend: {name: b}}}, policy: {ai: {defaults: {a: 1, c: 3}}}}]}',
      ),
    ).backends[0] as Backend
    assert.deepEqual(policies.ai?.defaults, { a: 2, c: 3 })
  })
})

test('secrets and prices in files', async (t) => {
  const key = join(folder, 'key')
  const prices = join(folder, 'prices.json')
  const write = async (rate: string): Promise<void> => {
    await writeFile(
      prices,
      JSON.stringify({ providers: { openai: { models: { a: { rates: { input: rate } } } } } }),
    )
  }
  const load = async (): Promise<{
    resources: Resources
    hash: string
    files: readonly string[]
    dump: string
  }> => {
    let files: readonly string[] = []
    const text = `{config: {modelCatalog: [{file: ${prices}}]}, llm: {models: [{name: a, provider: openai, params: {apiKey: {file: ${key}}}}]}}`
    const loaded = await loadConfig({ kind: 'text', text }, {}, (named) => {
      files = named
    })
    const dump = JSON.stringify(dumpConfig(loaded, { version: '1', gitRevision: 'x' }))
    return { resources: loaded.resources, hash: loaded.hash, files, dump }
  }
  await writeFile(key, 'sk-from-a-file\n')
  await write('2.50')
  const first = await load()

  await t.test('are loaded, and the files are watched', () => {
    assert.deepEqual([...first.files].sort(), [key, prices].sort())
    const auth = modelsOf(llmBackend(first.resources).spec)[0]?.provider.policies.backendAuth
    assert.deepEqual(auth && 'key' in auth && auth.key.value, { secret: 'sk-from-a-file' })
    assert.equal(first.resources.modelCatalog?.providers.openai?.models.a?.rates.input, 2.5)
  })

  await t.test('change the configuration hash when they change', async () => {
    await write('3')
    const second = await load()
    assert.equal(second.resources.modelCatalog?.providers.openai?.models.a?.rates.input, 3)
    assert.notEqual(second.hash, first.hash)
  })

  await t.test('are not dumped: no keys, and only the number of prices', async () => {
    assert.ok(!first.dump.includes('sk-from-a-file'))
    assert.match(first.dump, /"key":\{"value":"<redacted>"/)
    assert.match(
      first.dump,
      /"modelCatalog":\{"providers":\{"openai":\{"models":1\}\}\},"unknownPrice":"allow"/,
    )
    const text = '{config: {unknownPrice: deny, modelCatalog: [{inline: {providers: {}}}]}}'
    const denying = await loadConfig({ kind: 'text', text }, {}, () => undefined)
    const dump = JSON.stringify(dumpConfig(denying, { version: '1', gitRevision: 'x' }))
    assert.match(dump, /"modelCatalog":\{"providers":\{\}\},"unknownPrice":"deny"/)
  })

  await t.test('are refused with their location in the file', async () => {
    await writeFile(prices, '{"providers": {"openai": {"models": {"a": {"rates": {"input": "x"}}}}}}')
    await assert.rejects(load(), (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      assert.match(
        error.message,
        /prices\.json, providers\.openai\.models\.a\.rates\.input: must be US dollars/,
      )
      return true
    })
  })
})

test('a dump of models', async (t) => {
  const dumped = (text: string): unknown =>
    dumpConfig(parseConfig(text, 'a.yaml', {}), { version: '1', gitRevision: 'x' }).backends

  await t.test('has a router with models, by the names of the reference', () => {
    const [router] = JSON.parse(
      JSON.stringify(
        dumped(
          "llm: {models: [{name: fast, provider: openAI, params: {model: big, apiKey: sk-1, baseUrl: 'http://127.0.0.1:8083/v1'}}]}",
        ),
      ),
    ) as [{ backend: { llmRouter: { name: string; target: { models: Record<string, unknown>[] } } } }]
    const { name, target } = router.backend.llmRouter
    assert.equal(name, 'llm:router')
    const { policies, ...model } = target.models[0] ?? {}
    assert.equal(
      (policies as { llm: { routes: Record<string, string> } }).llm.routes['/v1/messages'],
      'messages',
    )
    assert.deepEqual(model, {
      id: 'fast',
      name: 'fast',
      visibility: 'public',
      headerMatches: [],
      provider: {
        name: 'fast',
        provider: { openAI: { model: 'big' } },
        hostOverride: '127.0.0.1:8083',
        pathOverride: null,
        pathPrefix: '/v1',
        tokenize: false,
        inlinePolicies: [
          {
            backendAuth: {
              key: {
                value: '<redacted>',
                location: { kind: 'header', name: 'authorization', prefix: 'Bearer ' },
              },
            },
          },
        ],
      },
    })
  })

  await t.test('has the groups of a backend, each provider by name', () => {
    const text = JSON.stringify(
      dumped(
        '{backends: [{name: b, ai: {groups: [{providers: [{name: x, provider: {mock: {}}}]}, {providers: [{name: y, provider: {vertex: {projectId: p}}}]}]}}]}',
      ),
    )
    assert.match(text, /"ai":\{"name":"b"/)
    assert.match(text, /"active":\{"x":\{"endpoint":\{"name":"x","provider":\{"mock":\{\}\}/)
    assert.match(text, /"active":\{"y":\{"endpoint":\{"name":"y","provider":\{"vertex":\{"project":"p"\}\}/)
  })
})
