import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { importConfig, type ImportSource } from '../../../src/cli/import/import-config.ts'
import { findingsTable } from '../../../src/cli/import/print-findings.ts'
import { parseConfig } from '../../../src/config/parse.ts'

const goldens = 'test/cli/import/goldens'

const SOURCES: readonly (readonly [ImportSource, string])[] = [
  ['litellm', 'litellm.input.yaml'],
  ['nginx', 'nginx.input.conf'],
  ['agentgateway', 'agentgateway.input.yaml'],
  ['envoy-ai-gateway', 'envoy-ai-gateway.input.yaml'],
]

/** Set to write the goldens anew. */
const isWriting = process.env.UPDATE_GOLDENS === '1'

const same = (file: string, text: string): void => {
  const path = `${goldens}/${file}`
  if (isWriting) writeFileSync(path, text)
  assert.equal(text, readFileSync(path, 'utf8'))
}

/** An AIGatewayRoute with a rule for a path, and an MCPRoute with one server. */
const envoy = (server: string, oauth = 'audiences: [a]'): string => `
kind: AIGatewayRoute
metadata: {name: r}
spec:
  rules:
    - matches: [{path: {type: PathPrefix, value: /custom}}]
      backendRefs: [{name: o}]
    - backendRefs: [{name: o, headerMutation: {set: [{name: b, value: "3"}]}}]
      timeouts: {request: 9s, backendRequest: 5s}
    - backendRefs: [{name: o}]
---
kind: AIServiceBackend
metadata: {name: o}
spec:
  schema: {name: OpenAI}
  backendRef: {name: b, kind: Backend}
  headerMutation: {set: [{name: a, value: "1"}, {name: b, value: "2"}], remove: [c]}
---
kind: Backend
metadata: {name: b}
spec: {endpoints: [{fqdn: {hostname: api.openai.com, port: 443}}]}
---
kind: MCPRoute
metadata: {name: m}
spec:
  backendRefs: [{name: b, kind: Backend, ${server}}]
  securityPolicy:
    oauth: {issuer: "https://idp", ${oauth}}
    authorization: {defaultAction: Deny}
`

test('an imported configuration', async (t) => {
  for (const [source, file] of SOURCES)
    await t.test(`of ${source} is the golden one, with the golden findings`, () => {
      const { text, findings } = importConfig(source, readFileSync(`${goldens}/${file}`, 'utf8'), file)
      same(`${source}.output.yaml`, text)
      same(`${source}.findings.txt`, findingsTable(findings))
    })

  await t.test('of nginx has the rate of its limits, whatever the burst', () => {
    const limits = (rate: string, limit: string): string =>
      importConfig(
        'nginx',
        `http { limit_req_zone $server_name zone=z:1m rate=${rate}; server { listen 80; location / { limit_req zone=z ${limit}; proxy_pass http://a:1; } } }`,
        'f',
      ).text
    assert.match(limits('60r/m', 'burst=5'), /maxTokens: 6\s+tokensPerFill: 1\s+fillInterval: 1s/)
    assert.match(limits('100r/s', 'nodelay'), /maxTokens: 1\s+tokensPerFill: 1\s+fillInterval: 10ms/)
    parseConfig(limits('3r/s', 'burst=2'), 'f', {})
    assert.doesNotMatch(limits('1r/s', '; limit_req_dry_run on'), /localRateLimit/)
  })

  await t.test('of nginx has names of routes that occur once', () => {
    const { text } = importConfig(
      'nginx',
      'server { listen 80; server_name a; return 301 https://$host$request_uri; }\n' +
        'server { listen 443; server_name a; location / { proxy_pass http://a:1; } }',
      'f',
    )
    assert.deepEqual(text.match(/- name: \S+/g), ['- name: a-80-1', '- name: a-443-1'])
  })

  await t.test('of Envoy AI Gateway hides the tools that it hides there', () => {
    const { text } = importConfig('envoy-ai-gateway', envoy('toolSelector: {excludeRegex: [delete]}'), 'f')
    // Anywhere in the name: delete_repository is hidden as well.
    assert.match(text, /!\(mcp\.tool\.name\.matches\("delete"\)\)/)
    const both = importConfig(
      'envoy-ai-gateway',
      envoy('toolSelector: {include: [list], includeRegex: ["get"]}'),
      'f',
    )
    assert.match(both.text, /mcp\.tool\.name in \["list"\]\)/)
    assert.doesNotMatch(both.text, /matches\("get"\)/)
  })

  await t.test('of Envoy AI Gateway keeps OAuth beside a restriction that is closed', () => {
    const { text } = importConfig('envoy-ai-gateway', envoy('path: /mcp'), 'f')
    assert.match(text, /mcpAuthentication:\s+issuer: https:\/\/idp/)
    assert.match(text, /deny: 'true'/)
  })

  await t.test('of Envoy AI Gateway needs no audiences: tokens for the resource are accepted', () => {
    const resource = 'protectedResourceMetadata: {resource: "https://mcp.example.com/mcp"}'
    for (const [oauth, reason] of [
      [resource, /^without audiences, tokens must be for the resource/],
      [`audiences: [], ${resource}`, /^without audiences, tokens must be for the resource/],
      [`audiences: null, ${resource}`, /^without audiences, tokens must be for the resource/],
      ['', /^without audiences and a resource, tokens .* for other services are accepted$/],
    ] as const) {
      const { text, findings } = importConfig('envoy-ai-gateway', envoy('path: /mcp', oauth), 'f')
      assert.match(text, /mcpAuthentication:\s+issuer: https:\/\/idp/)
      assert.doesNotMatch(text, /audiences:/)
      assert.ok(findings.some((one) => one.kind === 'changed' && reason.test(one.reason)))
    }
    const { findings } = importConfig('envoy-ai-gateway', envoy('path: /mcp'), 'f')
    assert.ok(!findings.some((one) => one.subject.endsWith('oauth')))
  })

  await t.test('of Envoy AI Gateway does not take audiences that it cannot read for none', () => {
    for (const audiences of ['a', '{a: b}', '[{a: b}]', '[null]', '[a, null]', '""']) {
      const source = envoy('path: /mcp', `audiences: ${audiences}`).replace(/ +authorization: .*/, '')
      const { text, findings } = importConfig('envoy-ai-gateway', source, 'f')
      assert.doesNotMatch(text, /mcpAuthentication:\n/)
      assert.match(text, /deny: 'true'/)
      assert.ok(findings.some((one) => one.kind === 'closed'))
    }
  })

  await t.test('of Envoy AI Gateway gives no model the requests of another rule', () => {
    const { text, findings } = importConfig('envoy-ai-gateway', envoy('path: /mcp'), 'f')
    const { llm } = parse(text) as { llm: { models: Record<string, unknown>[] } }
    assert.deepEqual(llm.models, [
      {
        name: '*',
        provider: 'openai',
        params: { requestTimeout: '5s' },
        requestHeaders: { set: { a: '1', b: '3' }, remove: ['c'] },
      },
    ])
    for (const subject of [/a match with path/, /timeouts\.request/, /: \*$/])
      assert.ok(
        findings.some((one) => one.kind === 'dropped' && subject.test(one.subject)),
        String(subject),
      )
  })

  await t.test('of LiteLLM has the keys of AWS and the failures that are allowed', () => {
    const { text, findings } = importConfig(
      'litellm',
      `model_list:
  - model_name: a
    litellm_params: {model: bedrock/m, aws_access_key_id: os.environ/ID, aws_secret_access_key: clear-text}
  - model_name: a
    litellm_params: {model: vertex_ai/m, vertex_project: p, vertex_credentials: /c.json}
litellm_settings: {allowed_fails: 1}`,
      'f',
    )
    assert.match(text, /accessKeyId: \$\{ID\}\s+secretAccessKey: \$\{A_AWS_SECRET_ACCESS_KEY\}/)
    assert.match(text, /consecutiveFailures: 2/)
    assert.deepEqual(
      findings.filter(({ kind }) => kind === 'dropped').map(({ subject }) => subject),
      ['model_list[1].litellm_params.vertex_credentials'],
    )
  })

  await t.test('is refused where it is of another gateway than the one that is named', () => {
    assert.throws(
      () => importConfig('agentgateway', 'model_list: []\nlitellm_settings: {}', 'f'),
      /f has nothing that this gateway knows/,
    )
  })

  await t.test('has no secret of the imported file', () => {
    const { text, findings } = importConfig(
      'litellm',
      readFileSync(`${goldens}/litellm.input.yaml`, 'utf8'),
      'f',
    )
    assert.doesNotMatch(text + findingsTable(findings), /sk-ant-in-clear-text/)
  })

  await t.test('cannot be extended by texts of the imported file', () => {
    const name = 'a\\n\\nadmin: true # \\"'
    const { text } = importConfig(
      'litellm',
      `model_list: [{model_name: "${name}", litellm_params: {model: "openai/x\\ny: $HOME \${PATH}", unknown: 1}}]`,
      'evil\nconfig: {}',
    )
    const { resources } = parseConfig(text, 'f', {})
    assert.ok(!/^(?:admin|config|y):/m.test(text), text)
    assert.match(JSON.stringify(resources), /\$HOME \$\{PATH\}/)
  })

  await t.test('has no route that serves more than before, because its condition was refused', () => {
    const { text, findings } = importConfig(
      'nginx',
      'server { listen 80; location ~ ^/(?!public) { return 200 secret; } location /x/ { return 200 x; } }',
      'f',
    )
    assert.doesNotMatch(text, /secret/)
    assert.ok(findings.some(({ kind, line }) => kind === 'dropped' && line === 1))
  })

  await t.test('loads after values that the gateway refuses were removed, and says so', () => {
    const { text, findings } = importConfig(
      'agentgateway',
      'gateways: {default: {port: 99999}, other: {port: 3000}}\nroutes:\n  - gateways: other\n    policies: {authorization: {rules: [no such thing]}, csrf: {}}\n    backends: [{host: "localhost:1"}]\n',
      'f',
    )
    parseConfig(text, 'f', {})
    assert.match(text, /deny: 'true'/)
    assert.deepEqual(
      findings.map(({ kind, line }) => [kind, line]),
      [
        ['dropped', 1],
        ['dropped', 1],
        ['closed', 4],
      ],
    )
  })
})

test('an import fails with the position of', async (t) => {
  const failures: readonly (readonly [string, ImportSource, string, RegExp])[] = [
    [
      'a brace that is not closed',
      'nginx',
      'http {\n  server { listen 80; }',
      /^f:1:6: this "\{" is not closed$/,
    ],
    [
      'a quote that is not closed',
      'nginx',
      'server {\n return 200 "x; }',
      /^f:2:13: this quote is not closed$/,
    ],
    ['a directive without an end', 'nginx', 'server { listen 80 }', /^f:1:10: "listen" is not ended by ";"$/],
    ['a file without servers', 'nginx', 'events {}', /^f has no server of HTTP$/],
    ['broken YAML', 'litellm', 'model_list: [', /^f:1:\d+: /],
    ['a file without models', 'litellm', 'a: 1', /^f has no model_list$/],
    ['aliases that stand for too much', 'litellm', bomb(), /too many values|too deeply/],
    ['resources without routes', 'envoy-ai-gateway', 'kind: Gateway', /^f has no AIGatewayRoute/],
    ['a list', 'agentgateway', '- 1', /^f is no configuration/],
  ]
  for (const [name, source, text, message] of failures)
    await t.test(name, () => {
      assert.throws(() => importConfig(source, text, 'f'), { name: 'CommandFailure', message })
    })
})

/** Nine levels of aliases, each nine times the one before. */
function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let at = 1; at < 9; at++)
    lines.push(
      `a${at}: &a${at} [${Array(9)
        .fill(`*a${at - 1}`)
        .join(', ')}]`,
    )
  return `${lines.join('\n')}\nmodel_list: []`
}

test('hostile input of an import', async (t) => {
  await t.test('has no special names', () => {
    const { findings } = importConfig(
      'litellm',
      'model_list: [{ model_name: a, litellm_params: { model: openai/x } }]\n__proto__: 1\nconstructor: 2\n',
      'x.yaml',
    )
    assert.deepEqual(
      findings.map(({ subject, reason }) => [subject, reason]),
      ['__proto__', 'constructor'].map((name) => [name, 'unknown field, or one without a counterpart']),
    )
  })

  await t.test('is not taken for another host, and its password is nowhere', () => {
    const { text, findings } = importConfig(
      'nginx',
      'http { server { listen 80; location / { proxy_pass http://user:s3cret@h:1/; } location /a { return 200; } } }',
      'x.conf',
    )
    const table = findingsTable(findings)
    assert.match(table, /not carried over +proxy_pass +a target has no user information/)
    assert.doesNotMatch(text + table, /s3cret|host: http/)
  })

  await t.test('does not control a terminal', () => {
    const conf = 'http { server { listen 80; evil\u009b31m\u202e on; location / { return 200; } } }'
    const { findings } = importConfig('nginx', conf, 'x.conf')
    assert.doesNotMatch(findingsTable(findings), /(?!\n)[\p{Cc}\p{Cf}]/u)
  })
})
