import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Events, OAuth2Server } from 'oauth2-mock-server'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { anyPorts, startDaemon } from '../../support/daemon.ts'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { content, reply, startToy } from '../../support/mcp/toy-server.ts'
import { startTokenServer } from '../../support/token-server.ts'

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname

test('a stdio server behind policies that require tokens of an identity provider', async (t) => {
  const provider = new OAuth2Server()
  await provider.issuer.keys.generate('RS256')
  await provider.start(0, '127.0.0.1')
  t.after(() => provider.stop())
  const issuer = `http://127.0.0.1:${provider.address().port}`
  provider.issuer.url = issuer
  let permissions: string[] = []
  let sub = 'ann'
  provider.service.on(Events.BeforeTokenSigning, (token: { readonly payload: object }) => {
    Object.assign(token.payload, { aud: 'https://mcp.test', sub, permissions })
  })
  const tokenFor = async (...granted: string[]): Promise<string> => {
    permissions = granted
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' })
    const answer = await fetch(`${issuer}/token`, { method: 'POST', body })
    return ((await answer.json()) as { access_token: string }).access_token
  }
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
${[
  ['/mcp', '"read:all" in jwt.permissions'],
  ['/by-name', 'jwt.sub == "bob"'],
  ['/by-scope', 'jwt.scope.split(" ").exists(one, one == "read:some")'],
]
  .map(
    ([path, rule]) => `  - matches: [{ path: { exact: ${path} } }]
    backends:
      - mcp:
          targets:
            - name: demo
              stdio:
                cmd: ${process.execPath}
                args: ["${demo}"]
    policies:
      mcpAuthentication:
        mode: strict
        issuer: ${issuer}
        audiences: [https://mcp.test]
        jwks: { url: "${issuer}/jwks" }
        resourceMetadata:
          resource: https://mcp.test
          scopesSupported: [read:all]
          bearerMethodsSupported: [header]
      authorization:
        rules: ['${rule}']
`,
  )
  .join('')}`)
  const url = `${daemon.url('default')}/mcp`

  await t.test('refuses requests without a token, and tells where to get one', async () => {
    const told = await new McpCaller(url).open()
    assert.equal(told.status, 401)
    assert.match(String(told.headers['www-authenticate']), /^Bearer resource_metadata="https:\/\/mcp\.test\//)
    assert.match(String(told.headers['www-authenticate']), /, scope="read:all"$/)
  })

  await t.test('refuses tokens with insufficient scope', async () => {
    const authorization = `Bearer ${await tokenFor('write:all')}`
    const told = await new McpCaller(url, { authorization }).open()
    assert.equal(told.status, 403)
    assert.match(String(told.headers['www-authenticate']), /insufficient_scope/)
  })

  await t.test('names scopes only if another token could help', async () => {
    const authorization = `Bearer ${await tokenFor('read:all')}`
    const challengeAt = async (path: string) => {
      const told = await new McpCaller(`${daemon.url('default')}${path}`, { authorization }).open()
      assert.equal(told.status, 403)
      return told.headers['www-authenticate']
    }
    assert.equal(await challengeAt('/by-name'), undefined)
    assert.match(String(await challengeAt('/by-scope')), /insufficient_scope", scope="read:all"/)
  })

  for (const mode of ['legacy', 'auto'] as const)
    await t.test(`accepts sufficient tokens: ${mode}`, async () => {
      const headers = { authorization: `Bearer ${await tokenFor('read:all')}` }
      const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
      const result = await client.callTool({ name: 'echo', arguments: { message: 'permitted' } })
      assert.deepEqual(result.content, [{ type: 'text', text: 'permitted' }])
      await client.close()
    })

  await t.test('binds a session to the subject that began it', async () => {
    const client = new McpCaller(url, { authorization: `Bearer ${await tokenFor('read:all')}` })
    await client.open()
    // A renewed token is the same caller.
    client.fields.authorization = `Bearer ${await tokenFor('read:all', 'write:all')}`
    assert.equal((await client.request('tools/list')).status, 200)
    sub = 'eve'
    client.fields.authorization = `Bearer ${await tokenFor('read:all')}`
    assert.equal((await client.request('tools/list')).status, 404)
    Reflect.deleteProperty(client.fields, 'authorization')
    assert.equal((await client.request('tools/list')).status, 401)
  })
})

test('a client credentials token for an MCP server', async (t) => {
  await using tokens = await startTokenServer()
  let good = 'Bearer token-1'
  const challenge = 'Bearer error="invalid_token", resource_metadata="https://mcp.example/meta"'
  await using server = await startToy({
    tools: ['add'],
    handlers: {
      add: (request, response) => {
        if (request.headers.authorization === good) reply(request, response, content('add done'))
        else response.writeHead(401, { 'www-authenticate': challenge }).end('{}')
      },
    },
  })
  const credentials = { clientId: 'gateway', clientSecret: 's3cr3t' }
  const policies = {
    backendAuth: { clientCredentials: { url: `http://${tokens.host}/token`, clientAuth: credentials } },
  }
  await using gateway = await startMcpRoutes({
    one: { targets: [{ name: 'toy', mcp: { host: server.url }, policies }] },
  })
  const client = gateway.client('one', { authorization: 'Bearer of-the-client' })
  await client.open()
  const add = () => client.request('tools/call', { name: 'add' })

  await t.test('is requested once for all messages, and replaces that of the client', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, add))
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    assert.equal(tokens.asked.length, 1)
    assert.ok(server.requests.every(({ headers }) => headers.authorization === good))
  })

  await t.test('is renewed once when the server refuses it', async () => {
    good = 'Bearer token-2'
    const all = await Promise.all(Array.from({ length: 8 }, add))
    assert.deepEqual(
      all.map(({ response: answer }) => answer?.result),
      all.map(() => content('add done')),
    )
    assert.equal(tokens.asked.length, 2)
  })

  await t.test(
    'is not renewed again if a new one is refused, and the client gets the challenge',
    async () => {
      good = 'Bearer of nobody'
      for (let i = 0; i < 5; i++) {
        const told = await add()
        assert.deepEqual([told.status, told.headers['www-authenticate']], [401, challenge], told.text)
      }
      assert.ok(tokens.asked.length <= 4, `asked ${tokens.asked.length} times`)
    },
  )
})
