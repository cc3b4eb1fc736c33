import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { backendRows } from '../../src/cli/dump/rows/backend-rows.ts'
import { configPolicyRows } from '../../src/cli/dump/rows/policy-rows.ts'
import { routeRows } from '../../src/cli/dump/rows/route-rows.ts'
import { serviceRows, workloadRows } from '../../src/cli/dump/rows/service-rows.ts'
import { runAgctlProgram } from '../support/cli/agctl.ts'
import { startStandInAdmin } from '../support/cli/admin-server.ts'

const referenceDump = 'test/vectors/reference/config_dump_llm.json'

const endpoints = {
  services: [
    {
      name: 'cart',
      namespace: 'shop',
      endpoints: [
        {
          active: {
            a: {
              endpoint: { workloadUid: 'cluster1//Pod/shop/cart-1' },
              info: { health: 0.987, requestLatency: 0.30291, totalRequests: 7 },
            },
            b: {
              endpoint: { workloadUid: 'cluster1//Pod/other/cart-2' },
              info: { health: 1, request_latency: 0, total_requests: 0 },
            },
          },
          rejected: {
            c: { endpoint: { name: 'cart-3' }, info: { evictedUntil: '3.3s', totalRequests: 2 } },
            d: { endpoint: {}, info: {} },
          },
        },
      ],
    },
  ],
  backends: [
    { backend: { host: { name: 'old', namespace: '', target: '10.0.0.1:80' } } },
    {
      backend: {
        mcp: { name: 'tools', namespace: '', targets: [{ name: 'files', status: { state: 'failing' } }] },
      },
    },
    'nonsense',
    { backend: null },
  ],
}

test('rows of backends', async (t) => {
  await t.test('have names, health, requests and latency in all spellings', () => {
    const rows = backendRows(endpoints).map((row) => [
      row.type,
      row.name,
      row.endpoint,
      row.health,
      row.requests,
      row.latencyMs,
    ])
    assert.deepEqual(rows.slice(0, 2), [
      ['Backend', 'old', '10.0.0.1:80', '', undefined, undefined],
      ['Backend', 'tools', 'files', 'failing', undefined, undefined],
    ])
    assert.deepEqual(rows.slice(-4), [
      ['Service', 'cart', 'cart-1', '0.99', 7, 302.91],
      ['Service', 'cart', 'cart-3', 'Evict (3.3s)', 2, undefined],
      ['Service', 'cart', 'd', 'evicted', undefined, undefined],
      ['Service', 'cart', 'other/cart-2', '1.00', 0, undefined],
    ])
  })

  await t.test('take health from the list beside the backends', () => {
    const now = Date.parse('2026-01-02T03:04:05Z')
    const item = { backend: '/old', endpoint: '10.0.0.1:80', score: 0.5 }
    const row = (health: object) =>
      backendRows({ backends: endpoints.backends.slice(0, 1), health: [health] }, now)[0]
    assert.equal(row({ ...item, state: 'healthy', requests: 3, latencyMs: 1.5 })?.latencyMs, 1.5)
    assert.equal(
      row({ ...item, state: 'evicted', until: '2026-01-02T03:04:08.300Z' })?.health,
      'Evict (3.3s)',
    )
    assert.equal(row({ ...item, state: 'evicted', until: '2026-01-02T03:04:04Z' })?.health, 'evicted')
    assert.equal(row({ ...item, state: 'unhealthy' })?.health, 'unhealthy')
  })
})

test('rows of other parts', async (t) => {
  const match = {
    path: { pathPrefix: '/shop' },
    method: 'GET',
    headers: [{ name: 'x-a', value: { exact: 'b' } }],
  }
  const dump = {
    binds: [
      {
        address: '[::]:80',
        listeners: {
          main: {
            listenerName: 'main',
            routes: {
              a: {
                name: 'a',
                hostnames: ['x.example'],
                matches: [match],
                backends: [{ weight: 1, backend: '/one' }],
              },
              b: { name: 'b', hostnames: ['y.example'], matches: [match], inlinePolicies: [{ cors: {} }] },
              c: {
                name: 'c',
                hostnames: ['x.example', 'z.example'],
                matches: [match, { path: { exact: '/c' } }],
              },
            },
          },
        },
      },
    ],
    routes: { routeGroups: { common: { g: { name: 'g', matches: [match] } } } },
    policies: [
      {
        name: { name: 'p', namespace: 'n' },
        target: { gateway: { gatewayName: 'g', port: 80 } },
        policy: { csrf: {} },
      },
    ],
    services: [
      { name: 'cart', namespace: 'shop', hostname: 'cart.shop', vips: ['10.0.0.9'], ports: { 80: 8080 } },
    ],
    workloads: [
      { name: 'cart-1', namespace: 'shop', services: { 'shop/cart.shop': { 80: 8080 } }, uid: 'u' },
    ],
  }

  await t.test('warn of routes that are shadowed for a host', () => {
    const rows = routeRows(dump)
    assert.deepEqual(
      rows.map(({ route, listener, warnings }) => [route, listener, warnings]),
      [
        ['a', 'main:80', []],
        ['b', 'main:80', []],
        ['c', 'main:80', ['shadowed by a: GET /shop* x-a=b']],
        ['g', 'group common', []],
      ],
    )
    assert.deepEqual(rows[0]?.backends, ['/one'])
  })

  await t.test('have targets of policies, and those of the resources themselves', () => {
    assert.deepEqual(
      configPolicyRows(dump).map(({ name, target, policies }) => [name, target, policies]),
      [
        ['n/p', 'gateway g:80', ['csrf']],
        ['', 'route b', ['cors']],
      ],
    )
  })

  await t.test('connect services and workloads', () => {
    assert.deepEqual(serviceRows(dump)[0]?.endpoints, 1)
    assert.deepEqual(serviceRows(dump)[0]?.ports, ['80→8080'])
    assert.deepEqual(workloadRows(dump)[0]?.services, ['shop/cart.shop'])
  })
})

test('agctl proxy config', { concurrency: 2 }, async (t) => {
  const show = (args: readonly string[], input = '') =>
    runAgctlProgram(['proxy', 'config', ...args], { input })

  await t.test('shows the backends of a dump of the reference', async () => {
    const { stdout } = await show(['backends', '--file', referenceDump])
    assert.deepEqual(stdout.split('\n').slice(0, 3), [
      'TYPE     NAME              NAMESPACE  ENDPOINT  HEALTH  REQUESTS  LATENCY',
      'Backend  llm:model:boom:1             boom      1.00    2         1.77ms',
      'Backend  llm:model:fast:0             fast      0.70    10        63.84ms',
    ])
  })

  await t.test('prints a dump from standard input as YAML, which it reads again', async () => {
    const { stdout } = await show(['all', '-f', '-', '-o', 'yaml'], readFileSync(referenceDump, 'utf8'))
    assert.deepEqual(parse(stdout), JSON.parse(readFileSync(referenceDump, 'utf8')))
    const again = await show(['listeners', '-f', '-'], stdout)
    assert.match(again.stdout, /^LISTENER .*\nllm +default\/default +\[::\]:4000 +HTTP +\* +1\n$/)
  })

  await t.test('hides endpoints without requests, unless asked for', async () => {
    const input = JSON.stringify(endpoints)
    const some = await show(['backends', '-f', '-', '-o', 'json'], input)
    const all = await show(['backends', '-f', '-', '-o', 'json', '--all'], input)
    const count = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as object[]).length
    assert.equal(count(all) - count(some), 1)
    const empty = await show(['backends', '-f', '-', '-o', 'json'], '{"backends":[]}')
    assert.equal(empty.stdout, '[]\n')
  })

  const wrong: readonly (readonly [args: readonly string[], code: number, message: RegExp])[] = [
    [['all', 'a', 'b'], 2, /^Error: accepts at most 1 arg\(s\), received 2\n/],
    [['all', 'a', '--file', 'x'], 2, /^Error: at most one of --file or resource name may be passed\n/],
    [['all', '--local', '-p', '0'], 2, /^Error: invalid --proxy-admin-port 0\n/],
    [['all', '--local', 'web'], 2, /^Error: --local does not accept a resource argument\n/],
    [['all', '-f', 'x', '-o', 'xml'], 2, /^Error: output format "xml" not supported\n/],
    [['all', '-f', '/nowhere/x'], 1, /^Error: failed to read config dump file \/nowhere\/x: ENOENT/],
    [['all', '-f', 'config/gateway.yaml'], 1, /^Error: config\/gateway\.yaml is not a dump of a gateway/],
    [['all', '-f', 'README.md'], 1, /^Error: README\.md is (not a dump|neither JSON nor YAML)/],
  ]
  for (const [args, code, message] of wrong)
    await t.test(`fails for ${args.join(' ')}`, async () => {
      const run = await show(args)
      assert.match(run.stderr, message)
      assert.deepEqual([run.code, run.stdout], [code, ''])
    })

  await t.test('prints no control characters of a dump in any format', async () => {
    const name = 'a\u001b[31m\u009b2J\u202eb'
    await using admin = await startStandInAdmin((_req, res) =>
      res.end(
        JSON.stringify({ binds: [], routes: [], backends: [], version: { version: name }, config: name }),
      ),
    )
    const access = ['--local', '-p', String(admin.port)]
    for (const args of [
      ['proxy', 'config', 'all', '-o', 'json'],
      ['proxy', 'config', 'all', '-o', 'yaml'],
      ['version'],
      ['version', '--short'],
    ]) {
      const { code, stdout } = await runAgctlProgram([...args, ...access])
      assert.equal(code, 0)
      assert.doesNotMatch(stdout, /(?!\n)[\p{Cc}\p{Cf}]/u)
      if (args[0] === 'proxy') assert.equal((parse(stdout) as { config: string }).config, name)
    }
  })

  await t.test('says what to do if the gateway is not there, is another one, or wants a token', async () => {
    await using admin = await startStandInAdmin((req, res) => {
      if (req.headers.authorization === 'Bearer right') res.end('<html>')
      else res.writeHead(req.headers.authorization === undefined ? 401 : 404).end()
    })
    const port = String(admin.port)
    const at = (token?: string) =>
      runAgctlProgram(['proxy', 'config', 'all', '--local', '-p', port], {
        env: { AGENTGATEWAY_ADMIN_TOKEN: token ?? '' },
      })
    assert.match((await at()).stderr, /requires a token\n--token-file FILE or \$AGENTGATEWAY_ADMIN_TOKEN/)
    assert.match((await at('wrong')).stderr, /has no \/config_dump\nIt is an older version/)
    assert.match((await at('right')).stderr, /is (neither JSON nor YAML|not a dump)/)
    await admin[Symbol.asyncDispose]()
    const gone = await at()
    assert.equal(gone.code, 3)
    assert.match(gone.stderr, /connection refused\nIs the gateway running\?/)
  })
})
