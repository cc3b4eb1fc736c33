import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { type McpDaemon, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { content, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const ADDRESSES = ['127.0.0.1', '127.0.0.2']
const CLIENTS = 8

suite('MCP servers can be services', { concurrency: false }, () => {
  const stack = new AsyncDisposableStack()
  let pair: readonly ToyServer[]
  let lone: ToyServer
  let gateway: McpDaemon
  before(async () => {
    const first = await startToy({ tools: ['add'], at: { address: ADDRESSES[0] ?? '' } })
    const port = Number(new URL(first.origin).port)
    pair = [first, await startToy({ tools: ['add'], at: { address: ADDRESSES[1] ?? '', port } })]
    lone = await startToy({ tools: ['fetch'] })
    const lonePort = Number(new URL(lone.origin).port)
    gateway = await startMcpDaemon(
      [
        { name: 'pair', mcp: { service: { name: 'tools/pair.svc', port: 80 } } },
        {
          name: 'lone',
          mcp: {
            service: { name: { namespace: 'tools', hostname: 'lone.svc' }, port: 81 },
            path: '/mcp/own?a=b',
          },
          policies: { backendAuth: { key: 'of the target' } },
        },
      ],
      {
        root: {
          services: [
            { name: 'pair', namespace: 'tools', hostname: 'pair.svc', ports: { 80: port } },
            { name: 'lone', namespace: 'tools', hostname: 'lone.svc', ports: { 81: lonePort } },
          ],
          workloads: [
            ...ADDRESSES.map((address) => ({
              uid: address,
              workloadIps: [address],
              services: { 'tools/pair.svc': { 80: port } },
            })),
            { uid: 'lone', workloadIps: ['127.0.0.1'], services: { 'tools/lone.svc': { 81: lonePort } } },
          ],
          policies: [
            {
              name: { name: 'keys' },
              target: { backend: { service: { namespace: 'tools', hostname: 'pair.svc' } } },
              policy: { backendAuth: { key: 'of the service' } },
            },
          ],
        },
      },
    )
    for (const one of [gateway, ...pair, lone]) stack.use(one)
  })
  after(() => stack.disposeAsync())

  test('and sessions stay at one endpoint', async () => {
    for (let i = 0; i < CLIENTS; i++) {
      const client = new McpCaller(gateway.url)
      await client.open()
      const { response } = await client.request('tools/list')
      const tools = (response?.result?.tools ?? []) as readonly { readonly name: string }[]
      assert.deepEqual(tools.map(({ name }) => name).sort(), ['lone_fetch', 'pair_add'])
      for (const name of ['pair_add', 'lone_fetch', 'pair_add']) {
        const called = await client.request('tools/call', { name })
        assert.deepEqual(called.response?.result, content(`${name.slice(5)} done`), called.text)
      }
    }
    const begun = pair.map((toy) => toy.requestsOf('initialize').length)
    assert.equal((begun[0] ?? 0) + (begun[1] ?? 0), CLIENTS)
    assert.ok(
      begun.every((count) => count > 0),
      begun.join(),
    )
  })

  test('with path, name, and the policies of the service or the target', () => {
    const seen = (toy: ToyServer | undefined) =>
      toy?.requestsOf('tools/call').map(({ url, headers }) => [url, headers.host, headers.authorization])[0]
    assert.deepEqual(seen(pair[0]), ['/mcp', 'pair.svc', 'Bearer of the service'])
    assert.deepEqual(seen(lone), ['/mcp/own?a=b', 'lone.svc:81', 'Bearer of the target'])
  })
})
