import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Events, OAuth2Server } from 'oauth2-mock-server'
import { sendRequest } from '../../test/support/send-request.ts'
import { echoed, startEcho } from '../../test/support/echo-upstream.ts'
import { startExample } from '../../test/support/example.ts'

test('examples/mcp-authentication', async (t) => {
  await using mcp = await startEcho('mcp')
  const idp = new OAuth2Server()
  await idp.issuer.keys.generate('RS256')
  await idp.start(0, '127.0.0.1')
  t.after(() => idp.stop())
  const issuer = `http://127.0.0.1:${idp.address().port}`
  idp.issuer.url = issuer
  let permissions: string[] = []
  idp.service.on(Events.BeforeTokenSigning, (token: { readonly payload: object }) => {
    Object.assign(token.payload, { aud: 'https://mcp.test/mcp', permissions })
  })
  await using daemon = await startExample('mcp-authentication', {
    MCP: mcp.host,
    ISSUER: issuer,
    JWKS: `${issuer}/jwks`,
    AUDIENCE: 'https://mcp.test/mcp',
  })
  const url = daemon.url('default')
  const initialize = async (...granted: string[]) => {
    permissions = granted
    const answer = await sendRequest(issuer, '/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=a&client_secret=b',
    })
    const { access_token: token } = JSON.parse(answer.text) as { access_token: string }
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return sendRequest(url, '/mcp', {
      method: 'POST',
      headers,
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    })
  }

  await t.test('tells clients without a token where to get one', async () => {
    const { status, headers } = await sendRequest(url, '/mcp', { method: 'POST', body: '{}' })
    assert.equal(status, 401)
    assert.equal(
      headers['www-authenticate'],
      'Bearer resource_metadata="https://mcp.test/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:call"',
    )
    const { text } = await sendRequest(url, '/.well-known/oauth-protected-resource/mcp')
    assert.deepEqual((JSON.parse(text) as Record<string, unknown>).authorization_servers, [issuer])
  })

  await t.test('accepts sufficient tokens, and does not forward them', async () => {
    const { headers, body } = echoed(await initialize('tools:call'))
    assert.deepEqual(
      [headers.authorization, body],
      [undefined, '{"jsonrpc":"2.0","id":1,"method":"initialize"}'],
    )
  })

  await t.test('tells clients with an insufficient token which scope is missing', async () => {
    const { status, headers } = await initialize('tools:read')
    assert.equal(status, 403)
    assert.match(
      String(headers['www-authenticate']),
      /^Bearer error="insufficient_scope", scope="tools:read tools:call", /,
    )
  })
})
