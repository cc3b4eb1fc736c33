import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Events, type MutableResponse, type MutableToken, OAuth2Server } from 'oauth2-mock-server'
import { sendRequest } from '../../support/send-request.ts'
import { type McpDaemon, programTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { RawMcp } from '../../support/mcp/raw-mcp.ts'

/** The credentials of a machine. */
interface Credentials {
  readonly client_id: string
  readonly client_secret: string
  readonly audience: string
  readonly grant_type: string
}

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname
const audience = 'https://mcp.test'
/** The permissions of the provider's clients. */
const granted: Readonly<Record<string, readonly string[]>> = {
  reader: ['read:all'],
  writer: ['read:all', 'write:all'],
  stranger: [],
}

/** A provider with one API, clients with secrets, and a token endpoint at `/oauth/token` that accepts JSON. */
const startProvider = async (): Promise<OAuth2Server> => {
  const idp = new OAuth2Server(undefined, undefined, { endpoints: { token: '/oauth/token' } })
  await idp.issuer.keys.generate('RS256')
  await idp.start(0, '127.0.0.1')
  idp.issuer.url = `http://127.0.0.1:${idp.address().port}`
  const asked = (req: unknown) => (req as { readonly body: Credentials }).body
  idp.service.on(Events.BeforeTokenSigning, ({ payload }: MutableToken, req: unknown) => {
    const { client_id: client, audience: aud, grant_type: gty } = asked(req)
    Object.assign(payload, { aud, gty, sub: `${client}@clients`, permissions: granted[client] })
  })
  idp.service.on(Events.BeforeResponse, (response: MutableResponse, req: unknown) => {
    if (asked(req).client_secret === `secret of ${asked(req).client_id}`) return
    Object.assign(response, { statusCode: 401, body: { error: 'access_denied' } })
  })
  return idp
}

suite('a machine with a token of an identity provider', () => {
  let idp: OAuth2Server
  let gateway: McpDaemon
  before(async () => {
    idp = await startProvider()
    gateway = await startMcpDaemon([programTarget('demo', demo)], {
      policies: {
        mcpAuthentication: {
          mode: 'strict',
          issuer: idp.issuer.url,
          audiences: [audience],
          jwks: { url: `${idp.issuer.url}/jwks` },
          resourceMetadata: {
            resource: audience,
            scopesSupported: ['read:all', 'write:all'],
            bearerMethodsSupported: ['header'],
          },
        },
        authorization: { rules: ['"read:all" in jwt.permissions'] },
        mcpAuthorization: {
          rules: ['mcp.tool.name == "echo"', 'mcp.tool.name == "add" && "write:all" in jwt.permissions'],
        },
      },
    })
  })
  after(async () => {
    // Disposed first: a daemon that did not start must not keep the test from ending.
    await idp.stop()
    await gateway[Symbol.asyncDispose]()
  })

  const tokenOf = async (client: string, more: Partial<Credentials> = {}) => {
    const credentials: Credentials = {
      client_id: client,
      client_secret: `secret of ${client}`,
      audience,
      grant_type: 'client_credentials',
      ...more,
    }
    const { status, text } = await sendRequest(idp.issuer.url ?? '', '/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    })
    return { status, token: (JSON.parse(text) as { readonly access_token?: string }).access_token ?? '' }
  }

  /** Connects a client with the token of a machine. */
  const connected = async (token: string): Promise<Client> => {
    const client = new Client({ name: 'machine', version: '1.0.0' })
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    const transport = new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit })
    await client.connect(transport)
    return client
  }

  for (const [machine, tools] of Object.entries({ reader: ['echo'], writer: ['add', 'echo'] }))
    test(`has access to what its permissions allow: ${machine}`, async () => {
      const { status, token } = await tokenOf(machine)
      assert.equal(status, 200)
      const client = await connected(token)
      try {
        const { tools: listed } = await client.listTools()
        assert.deepEqual(
          listed
            .map(({ name }) => name)
            .filter((name) => name === 'add' || name === 'echo')
            .sort(),
          tools,
        )
        const { content } = await client.callTool({ name: 'echo', arguments: { message: 'hi' } })
        assert.deepEqual(content, [{ type: 'text', text: 'hi' }])
        const added = client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
        if (machine === 'writer') assert.match(JSON.stringify((await added).content), /3/)
        else await assert.rejects(added, /add/)
      } finally {
        await client.close()
      }
    })

  test('is refused without the permission', async () => {
    const { token } = await tokenOf('stranger')
    await assert.rejects(
      connected(token),
      (error) => error instanceof StreamableHTTPError && error.code === 403,
    )
    const { status } = await new RawMcp(gateway.url).post(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { authorization: `Bearer ${token}` },
    )
    assert.equal(status, 403)
  })

  test('is refused with a token for another API, or without one', async () => {
    const { token } = await tokenOf('reader', { audience: 'https://other.test' })
    const initialize = (fields: Record<string, string>) =>
      new RawMcp(gateway.url).post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {} }, fields)
    assert.equal((await initialize({ authorization: `Bearer ${token}` })).status, 401)
    assert.equal((await initialize({})).status, 401)
  })

  test('gets no token without its secret', async () => {
    assert.deepEqual(await tokenOf('reader', { client_secret: 'guessed' }), { status: 401, token: '' })
  })
})
