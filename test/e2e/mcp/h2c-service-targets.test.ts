import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { content, startToy } from '../../support/mcp/toy-server.ts'

/** A server of HTTP/2 without TLS, and of nothing else, in front of one of HTTP/1.1. */
const startH2c = async (origin: string) => {
  const paths: string[] = []
  const server = createServer((req, res) => {
    const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => !name.startsWith(':')))
    paths.push(req.url)
    const onward = request(new URL(req.url, origin), { method: req.method, headers }, (response) => {
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = response.headers
      res.writeHead(response.statusCode ?? 502, kept)
      response.pipe(res)
    })
    onward.on('error', () => res.destroy())
    res.on('close', () => onward.destroy())
    req.pipe(onward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, paths, [Symbol.dispose]: () => server.close() }
}

test('an MCP server is spoken to with HTTP/2 where the port of its service announces it', async () => {
  await using toy = await startToy({ tools: ['add'] })
  using h2c = await startH2c(toy.origin)
  await using gateway = await startMcpDaemon(
    [{ name: 'h2c', mcp: { service: { name: 'tools/h2c.svc', port: 80 } } }],
    {
      root: {
        services: [
          {
            name: 'h2c',
            namespace: 'tools',
            hostname: 'h2c.svc',
            ports: { 80: h2c.port },
            appProtocols: { 80: 'HTTP2' },
          },
        ],
        workloads: [
          { uid: 'h2c', workloadIps: ['127.0.0.1'], services: { 'tools/h2c.svc': { 80: h2c.port } } },
        ],
      },
    },
  )
  const client = new McpCaller(gateway.url)
  await client.open()
  const called = await client.request('tools/call', { name: 'add' })
  assert.deepEqual(called.response?.result, content('add done'), called.text)
  assert.ok(h2c.paths.includes('/mcp'))
})
