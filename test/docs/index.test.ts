import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const index = readFileSync('docs/README.md', 'utf8')

/** Texts of links, by their guide, example or reference page. */
const links = [...index.matchAll(/\[([^\]]+)\]\((guides|reference|\.\.\/examples)\/([^)#]+)[^)]*\)/g)].map(
  ([, text = '', folder = '', file = '']) => ({ text: text.toLowerCase(), path: `${folder}/${file}` }),
)

/** Search terms, and the guide that the index must link to. */
const terms: Readonly<Record<string, string>> = {
  authorization: 'guides/authorization.md',
  'rate limit': 'guides/rate-limits.md',
  'external authorization': 'guides/external-authorization.md',
  'external processing': 'guides/external-processing.md',
  'oidc login': 'guides/oidc-login.md',
  'jwt authentication': 'guides/jwt-authentication.md',
  'basic auth': 'guides/basic-auth-and-api-keys.md',
  'api keys': 'guides/basic-auth-and-api-keys.md',
  cors: 'guides/cors.md',
  'load balancing': 'guides/load-balancing.md',
  retries: 'guides/retries-and-timeouts.md',
  timeouts: 'guides/retries-and-timeouts.md',
  tls: 'guides/tls.md',
  guardrails: 'guides/guardrails.md',
  failover: 'guides/llm-virtual-models.md',
  'virtual models': 'guides/llm-virtual-models.md',
  websocket: 'guides/websocket.md',
  'backend authentication': 'guides/backend-authentication.md',
  'mcp oauth': 'guides/mcp-oauth.md',
  'token limits': 'guides/token-limits.md',
  kubernetes: 'guides/kubernetes-first-gateway.md',
  'mcp tool rate limits': 'guides/mcp-authorization-and-rate-limits.md',
}

test('the index of the documentation', async (t) => {
  for (const [term, path] of Object.entries(terms)) {
    await t.test(`links from "${term}" to ${path}`, () => {
      assert.ok(links.some((link) => link.path === path && link.text.includes(term)))
      const title = /^# (.*)$/m.exec(readFileSync(`docs/${path}`, 'utf8'))?.[1]?.toLowerCase() ?? ''
      assert.ok(title.includes(term) || term === 'mcp tool rate limits', `the title is "${title}"`)
    })
  }

  await t.test('lists every guide', () => {
    const listed = new Set(links.map(({ path }) => path))
    assert.deepEqual(
      readdirSync('docs/guides').filter((name) => !listed.has(`guides/${name}`)),
      [],
    )
  })

  await t.test('uses the names of policies in the configuration', () => {
    const fields = [
      'authorization',
      'extAuthz',
      'extProc',
      'jwtAuth',
      'oidc',
      'basicAuth',
      'apiKey',
      'cors',
      'csrf',
    ]
    const others = ['retry', 'timeout', 'backendTLS', 'backendAuth', 'localRateLimit', 'remoteRateLimit']
    assert.deepEqual(
      [...fields, ...others].filter((field) => !index.includes(`\`${field}\``)),
      [],
    )
  })
})
