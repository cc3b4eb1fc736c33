import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dumpConfig } from '../../src/config/dump.ts'
import { ConfigError } from '../../src/config/errors.ts'
import { loadConfig } from '../../src/config/load.ts'
import { mergePolicies } from '../../src/config/merge-policies.ts'
import { parseConfig } from '../../src/config/parse.ts'
import type { McpBackend, McpTarget } from '../../src/model/mcp/mcp-backend.ts'
import type { Resources } from '../../src/model/resources/resources.ts'

const folder = await mkdtemp(join(tmpdir(), 'mcp-config-'))
after(() => rm(folder, { recursive: true }))

const mcpOf = ({ backends }: Resources, at = 0): McpBackend => {
  const found = backends.flatMap(({ spec }) => (spec.type === 'mcp' ? [spec] : []))[at]
  assert.ok(found)
  return found
}

const onlyTarget = (fields: string, env: Record<string, string> = {}): McpTarget => {
  const [target] = mcpOf(
    parseConfig(`mcp: {targets: [{name: a, ${fields}}]}`, 'a.yaml', env).resources,
  ).targets
  assert.ok(target)
  return target
}

test('a gateway in front of one server, with authorization, loads without network access and warnings', () => {
  const { resources, process, warnings } = parseConfig(
    `
config:
  adminAddr: 127.0.0.1:15000
gateways:
  default:
    port: 3000
routes:
  - backends:
      - mcp:
          targets:
            - name: everything
              stdio:
                cmd: npx
                args: ["@modelcontextprotocol/server-everything"]
    policies:
      mcpAuthentication:
        mode: strict
        issuer: https://idp.example.com/
        audiences: [http://localhost:3000/mcp]
        jwks:
          url: https://idp.example.com/.well-known/jwks.json
        resourceMetadata:
          resource: http://localhost:3000/mcp
          scopesSupported: [read:tools]
          bearerMethodsSupported: [header]
      authorization:
        rules:
          - '"call:tools" in jwt.permissions'
`,
    'gateway.yaml',
    {},
  )
  assert.deepEqual(warnings, [])
  assert.deepEqual(process.adminAddr, { host: '127.0.0.1', port: 15000 })
  const [route] = resources.binds[0]?.listeners[0]?.routes ?? []
  assert.deepEqual(route?.backends[0]?.target, { kind: 'backend', key: resources.backends[0]?.key })
  assert.equal(route.policies.mcpAuthentication?.mode, 'strict')
  assert.deepEqual(route.policies.authorization, { rules: [{ allow: '"call:tools" in jwt.permissions' }] })
  assert.deepEqual(mcpOf(resources), {
    type: 'mcp',
    targets: [
      {
        name: 'everything',
        connection: {
          kind: 'stdio',
          command: 'npx',
          args: ['@modelcontextprotocol/server-everything'],
          env: {},
          clearEnv: false,
        },
        policies: {},
      },
    ],
    statefulMode: 'stateful',
    prefixMode: 'conditional',
    maxNameLength: 64,
    failureMode: 'failClosed',
    dnsRebindingProtection: undefined,
  })
})

test('an MCP backend that is its own target is refused where it says so', () => {
  const file = `backends:
  - name: tools
    mcp:
      targets:
        - name: t
          mcp: { backend: /tools, path: /mcp }
`
  assert.throws(
    () => parseConfig(file, 'a.yaml', {}),
    /^ConfigError: a\.yaml:6:27: backends\[0\]\.mcp\.targets\[0\]\.mcp\.backend: "\/tools" must be a backend with a host$/m,
  )
})

test('an MCP server can be a service', async (t) => {
  const written = (target: string, more = '') => `
services: [{ name: tools, namespace: shop, hostname: tools.shop, ports: { 8000: 8000 } }]
mcp: { targets: [{ name: a, ${target} }]${more} }
`
  const service = 'service: { name: shop/tools.shop, port: 8000 }'
  const destination = { kind: 'service', name: 'shop/tools.shop', port: 8000 }
  for (const [target, connection] of [
    [`mcp: { ${service} }`, { kind: 'http', destination, path: '/mcp' }],
    [`sse: { ${service} }`, { kind: 'sse', destination, path: '/sse' }],
    [`sse: { ${service}, path: '/x?y=z' }`, { kind: 'sse', destination, path: '/x?y=z' }],
  ] as const)
    await t.test(target, () => {
      const { resources } = parseConfig(written(target), 'a.yaml', {})
      assert.deepEqual(mcpOf(resources).targets, [{ name: 'a', connection, policies: {} }])
    })
  await t.test('that an API is described for', () => {
    const api = JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: { operationId: 'a' } } } })
    const { resources } = parseConfig(
      written(`openapi: { ${service}, schema: { inline: ${api} } }`),
      'a.yaml',
      {},
    )
    const { connection } = mcpOf(resources).targets[0] ?? {}
    assert.ok(connection?.kind === 'openapi')
    assert.deepEqual([connection.destination, connection.prefix], [destination, ''])
  })
  for (const [target, message] of [
    ['mcp: { service: { name: shop/tool.shop, port: 8000 } }', /"shop\/tool\.shop" is not a known service/],
    ['mcp: { service: { name: shop/tools.shop, port: 80 } }', /has no port 80/],
    [`mcp: { ${service}, port: 80 }`, /port cannot be used with service/],
    [`mcp: { ${service}, host: 'http://a' }`, /host/],
    [`sse: { ${service}, backend: a }`, /backend/],
  ] as const)
    await t.test(`but not: ${target}`, () => {
      assert.throws(() => parseConfig(written(target), 'a.yaml', {}), message)
    })
})

test('MCP server addresses', async (t) => {
  const cases: readonly (readonly [
    written: string,
    host: string,
    port: number,
    path: string,
    tls: boolean,
  ])[] = [
    ['mcp: {host: "http://a.example"}', 'a.example', 80, '/mcp', false],
    ['sse: {host: "http://a.example"}', 'a.example', 80, '/sse', false],
    ['mcp: {host: "https://a.example?a=b"}', 'a.example', 443, '/mcp?a=b', true],
    ['mcp: {host: "https://a.example/x/?a=b"}', 'a.example', 443, '/x/?a=b', true],
    ['mcp: {host: "HTTPS://A.example:80/"}', 'a.example', 80, '/', true],
    ['mcp: {host: a.example}', 'a.example', 80, '/mcp', false],
    ['mcp: {host: "a.example/x"}', 'a.example', 80, '/x', false],
    ['sse: {host: "[::1]:81"}', '::1', 81, '/sse', false],
    ['mcp: {host: "::1", port: 82, path: /}', '::1', 82, '/', false],
    ['mcp: {host: a.example, port: 443, path: /mcp}', 'a.example', 443, '/mcp', false],
  ]
  for (const [written, host, port, path, tls] of cases)
    await t.test(written, () => {
      const { connection, policies } = onlyTarget(written)
      assert.ok(connection.kind === 'http' || connection.kind === 'sse')
      assert.deepEqual(connection.destination, { kind: 'host', target: { host, port } })
      assert.equal(connection.path, path)
      assert.equal(policies.backendTLS !== undefined, tls)
    })
})

test('OpenAPI documents', async (t) => {
  const path = join(folder, 'api.yaml')
  const text = (schema: string) => `mcp: {targets: [{name: a, openapi: {host: h, schema: ${schema}}}]}`
  const load = async (document: string) => {
    await writeFile(path, document)
    const named: string[] = []
    const source = { kind: 'text', text: text(`{file: ${JSON.stringify(path)}}`) } as const
    try {
      return { loaded: await loadConfig(source, {}, (files) => void named.push(...files)), named }
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return { problem: error.message, named }
    }
  }

  await t.test('are read from files, which are watched', async () => {
    const { loaded, named } = await load('openapi: 3.1.0\npaths:\n  /a:\n    get: { operationId: a }\n')
    assert.ok(loaded)
    const { connection } = mcpOf(loaded.resources).targets[0]!
    assert.ok(connection.kind === 'openapi')
    const parsed = { openapi: '3.1.0', paths: { '/a': { get: { operationId: 'a' } } } }
    assert.deepEqual([connection.document, connection.prefix, named], [{ parsed }, '', [path]])
  })

  await t.test('change the configuration hash when they change', async () => {
    const one = await load('{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"a"}}}}')
    const other = await load('{"openapi":"3.1.0","paths":{"/a":{"get":{"operationId":"b"}}}}')
    assert.notEqual(one.loaded?.hash, other.loaded?.hash)
  })

  const wrong: readonly (readonly [what: string, document: string, message: string])[] = [
    [
      'broken JSON',
      '{\n  "openapi": "3.1.0",\n  "paths": {]\n}',
      'line 3, column 13: neither JSON nor YAML: ',
    ],
    ['broken YAML', 'openapi: 3.1.0\npaths:\n\t/a: {}\n', 'line 3, column 1: neither JSON nor YAML: '],
    ['too deep', '['.repeat(200), 'line 1, column 1: nested too deeply'],
    ['a bomb of aliases', bomb(), 'line 1, column 1: aliases that stand for too much'],
  ]
  for (const [what, document, message] of wrong)
    await t.test(`are refused with file, line and column: ${what}`, async () => {
      const { problem, named } = await load(document)
      assert.ok(problem?.includes(`openapi.schema.file: ${path}, ${message}`), problem)
      assert.deepEqual(named, [path])
    })

  await t.test('without any usable operation are refused; unusable operations are left out', async () => {
    const { problem } = await load('{"openapi":"3.1.0","paths":{"/a":{"get":{}}}}')
    assert.match(
      problem ?? '',
      /api\.yaml: the document has no operation that can be a tool\n.*GET \/a has no/,
    )
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`/x${String(i)}`, { get: {} }]))
    const paths = { '/a': { get: { operationId: 'a' } }, ...many }
    const { loaded } = await load(JSON.stringify({ openapi: '3.1.0', paths }))
    const said = loaded?.warnings.map(({ code, message }) => `${code} ${message.replace(path, 'F')}`)
    assert.equal(said?.length, 21)
    assert.equal(said[0], 'openapi_left_out F: GET /x0 has no `operationId`')
    assert.equal(said[20], 'openapi_left_out F: 10 more are left out')
  })
})

test('a dump shows MCP servers, and no credentials', () => {
  const config = parseConfig(
    `
gateways: {default: {port: 3000}}
backends:
  - name: servers
    mcp:
      targets:
        - name: child
          stdio: {cmd: run, args: [run, '$API_TOKEN', --api-key=hidden, --token, hidden, --verbose, -y, '--header', 'x: Bearer hidden.hidden'], env: {GITHUB_TOKEN: hidden-value, LANG: C, URL: 'http://u:pass@h/'}}
        - name: far
          mcp: {host: 'https://far.example/mcp?api_key=hidden-too'}
          policies: {backendAuth: {key: hidden-key}, requestHeaderModifier: {set: {authorization: hidden-header, x-a: b}}}
        - name: near
          sse: {service: {name: shop/near, port: 80}}
        - name: api
          openapi: {host: h, schema: {inline: {openapi: 3.1.0, info: {title: Pets}, paths: {/a: {get: {operationId: a}}}}}}
      failureMode: failOpen
services: [{ name: near, namespace: shop, hostname: near, ports: { 80: 80 } }]
`,
    'a.yaml',
    { API_TOKEN: 'hidden-variable' },
  )
  const text = JSON.stringify(dumpConfig(config, { version: '1', gitRevision: 'a' }).backends)
  assert.doesNotMatch(text, /hidden|pass@/)
  assert.deepEqual(JSON.parse(text), [
    {
      backend: {
        mcp: {
          name: 'servers',
          namespace: '',
          targets: [
            {
              name: 'child',
              stdio: {
                cmd: 'run',
                args: [
                  'run',
                  '<redacted>',
                  '--api-key=<redacted>',
                  '--token',
                  '<redacted>',
                  '--verbose',
                  '-y',
                  '--header',
                  'x: Bearer <redacted>',
                ],
                env: { GITHUB_TOKEN: '<redacted>', LANG: 'C', URL: 'http://<redacted>@h/' },
                clear_env: false,
              },
            },
            {
              name: 'far',
              mcp: { host: 'far.example', port: 443, path: '/mcp?api_key=<redacted>' },
              inlinePolicies: [
                { backendTLS: { insecure: false, insecureHost: false } },
                { requestHeaderModifier: { set: { authorization: '<redacted>', 'x-a': 'b' } } },
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
            { name: 'near', sse: { service: { name: 'shop/near', port: 80 }, path: '/sse' } },
            {
              name: 'api',
              openapi: {
                host: 'h',
                port: 80,
                path: '',
                schema: { openapi: '3.1.0', info: { title: 'Pets' } },
              },
            },
          ],
          statefulMode: 'stateful',
          prefixMode: 'conditional',
          maxNameLength: 64,
          failureMode: 'failOpen',
        },
      },
    },
  ])
})

test('session settings come from the file and from the environment', () => {
  const key = (digit: string) => digit.repeat(64)
  const file = `config: {session: {key: [${key('a')}, ${key('B')}]}, mcp: {sessionTtl: 90s}}\ngateways: {default: {port: 3000}}`
  const settings = (env: Record<string, string>) => {
    const { sessionKeys, mcp } = parseConfig(file, 'a.yaml', env).process
    return [sessionKeys.map(({ secret }) => secret), mcp.sessionTtlMs]
  }
  assert.deepEqual(settings({}), [[key('a'), key('b')], 90_000])
  assert.deepEqual(settings({ SESSION_KEY: key('c'), OIDC_COOKIE_SECRET: key('d') }), [[key('c')], 90_000])
  const config = parseConfig(file, 'a.yaml', {})
  const { config: shown } = dumpConfig(config, { version: '1', gitRevision: 'a' }) as {
    config: { mcp: unknown }
  }
  assert.deepEqual(shown.mcp, { sessionTtl: '1m30s', maxPrograms: 500, maxProgramsPerTarget: 100 })
  assert.doesNotMatch(JSON.stringify(shown), /aaaa|bbbb/i)
})

test('a session may live longer than a timer can be', () => {
  const file = 'config: { mcp: { sessionTtl: 744h } }\ngateways: { default: { port: 3000 } }'
  assert.equal(parseConfig(file, 'a.yaml', {}).process.mcp.sessionTtlMs, 2 ** 31 - 1)
})

test('the address of a replica for other replicas requires a key', () => {
  const parsed = (session: string, env: Record<string, string> = {}) =>
    parseConfig(`config: {session: ${session}}\ngateways: {default: {port: 3000}}`, 'a.yaml', env)
  const key = 'a'.repeat(64)
  const address = 'address: "http://${POD_IP}:3000"'
  const config = parsed(`{key: ${key}, ${address}}`, { POD_IP: '10.0.0.3' })
  assert.equal(config.process.sessionAddress, 'http://10.0.0.3:3000')
  const { config: shown } = dumpConfig(config, { version: '1', gitRevision: 'a' }) as {
    config: { session: unknown }
  }
  assert.deepEqual(shown.session, { address: 'http://10.0.0.3:3000' })
  const { process } = parsed(`{${address}}`, { POD_IP: 'fifth', SESSION_KEY: key })
  assert.equal(process.sessionAddress, 'http://fifth:3000')
  assert.throws(
    () => parsed(`{${address}}`, { POD_IP: '10.0.0.3' }),
    /session\.address: needs a key that all replicas have/,
  )
  assert.deepEqual(config.warnings, [])
  const warned = (text: string, env: Record<string, string> = {}) =>
    parsed(`{key: ${key}, address: "${text}"}`, env).warnings.map(({ path, message }) => `${path} ${message}`)
  for (const [port, name, env] of [
    ['15000', 'adminAddr', {}],
    ['15021', 'readinessAddr', {}],
    ['80', 'statsAddr', { STATS_ADDR: '0.0.0.0:80' }],
  ] as const)
    assert.deepEqual(warned(`http://10.0.0.3:${port}`, env), [
      `config.session.address leads to the port of ${name}, which has no routes`,
    ])
  assert.deepEqual(warned('http://10.0.0.3:15020', { STATS_ADDR: '0.0.0.0:80' }), [])
  assert.throws(() => parsed(`{key: ${key}, address: 10.0.0.3:3000}`), /must be a scheme, a host and perhaps/)
})

test('the section mcp accepts policies that are attached to its route and to its gateways', () => {
  const { resources } = parseConfig(
    `
gateways: {default: {port: 3000}}
mcp: {targets: [{name: a, stdio: {cmd: a}}], policies: {mcpAuthorization: {rules: [inner == "c" || true]}}}
policies:
  - {name: {name: p}, target: {route: {name: mcp, namespace: internal}}, policy: {mcpAuthorization: {rules: ['mcp.tool.name == "b"']}}}
  - {name: {name: q}, target: {gateway: {gatewayName: default}}, policy: {mcpAuthorization: {rules: ['mcp.tool.name == "a"']}}}
`.replace('inner == "c" || true', 'mcp.method == "c"'),
    'a.yaml',
    {},
  )
  const [route] = mergePolicies(resources).binds[0]?.listeners[0]?.routes ?? []
  assert.deepEqual(route?.policies.mcpAuthorization?.rules, [
    { allow: 'mcp.tool.name == "a"' },
    { allow: 'mcp.tool.name == "b"' },
    { allow: 'mcp.method == "c"' },
  ])
})

test('the port of the section mcp is a listener that policies can be attached to', () => {
  const { resources } = parseConfig(
    `
mcp: {targets: [{name: a, stdio: {cmd: a}}]}
policies:
  - {name: {name: p}, target: {gateway: {gatewayName: default, listenerName: mcp}}, policy: {csrf: {}}}
`,
    'a.yaml',
    {},
  )
  const [bind] = mergePolicies(resources).binds
  assert.deepEqual(bind?.listeners[0]?.routes[0]?.policies, { csrf: { additionalOrigins: [] } })
})

/** A text that expands to billions of values. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x]']
  for (let i = 1; i < 30; i++)
    lines.push(`a${String(i)}: &a${String(i)} [*a${String(i - 1)}, *a${String(i - 1)}]`)
  return lines.join('\n')
}
