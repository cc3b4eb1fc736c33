/**
 * The cost of identifying the caller: a cached token, new tokens, rules and a limit, and a slow authorization
 * service.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { compare, costUs, ratio, stopAll } from './proxy.ts'
import { configuration, type Gateway, startGateway } from './support/gateway.ts'
import { start } from './support/program.ts'
import { type Figure, median } from './support/report.ts'

/** More than the gateway caches, so that in turns each of them is new again. */
const NEW_TOKENS = 12_000
const SECONDS = 3

export const identityFigures = async (): Promise<Figure[]> => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256' }] })
  const upstream = await start('./upstream.ts')
  const bare = await start('./bare-proxy.ts', { UPSTREAM: upstream.url })
  const { host } = new URL(upstream.url)
  const plain = await startGateway(configuration(route(host)))
  const guarded = await startGateway(configuration(route(host, policies(jwks, twoRules))))
  const ruled = await startGateway(configuration(route(host, policies(jwks, thousandRules))))
  const headers = { authorization: `Bearer ${token(privateKey, 'alice')}` }
  const load = { name: 'guarded', path: '/', connections: 32, headers }
  const [a = [], b = [], c = [], d = []] = await compare([guarded, plain, bare, ruled], load)
  const added = median(a.map((value, i) => (value - (b[i] as number)) / (c[i] as number)))
  const tokens = Array.from({ length: NEW_TOKENS }, (_, i) => token(privateKey, `user-${i}`))
  const fresh = { url: `${guarded.url}/`, connections: 32, seconds: SECONDS }
  const newUs = await costUs(guarded.pid, {
    ...fresh,
    rotating: { name: 'authorization', values: tokens.map((one) => `Bearer ${one}`) },
  })
  await stopAll([bare, plain, guarded, ruled])
  const waits = await waitingFigures(host)
  await upstream.stop()
  return [
    {
      name: 'identity.added',
      value: added,
      unit: '× bare',
      note: `JWT, two rules, a limit: ${median(a).toFixed(1)} µs; without ${median(b).toFixed(1)}, bare ${median(c).toFixed(1)}`,
    },
    {
      name: 'identity.newToken.us',
      value: newUs - median(a),
      unit: 'µs',
      note: 'more, where each RS256 token is new',
    },
    {
      name: 'identity.thousandRules.ratio',
      value: ratio(d, a),
      unit: '× two',
      note: '1,000 allow rules, the last holds',
    },
    ...waits,
  ]
}

/**
 * Whether a route is affected by another one that waits for its authorization service, and a third that waits for
 * keys.
 */
const waitingFigures = async (host: string): Promise<Figure[]> => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const slow = `  - matches: [{ path: { pathPrefix: /slow } }]
    policies: { extAuthz: { host: "127.0.0.1:${port}", protocol: { http: {} } } }
    backends: [{ host: "${host}" }]`
  const keyless = `  - matches: [{ path: { pathPrefix: /keyless } }]
    policies:
      jwtAuth: { mode: strict, issuer: "${ISSUER}", audiences: [bench], jwks: { url: "http://127.0.0.1:${port}/jwks" } }
    backends: [{ host: "${host}" }]`
  const quiet = await startGateway(configuration([route(host), slow, keyless].join('\n')))
  const busy = await startGateway(configuration([route(host), slow, keyless].join('\n')))
  const stop = new AbortController()
  const callers = ['/slow', '/keyless'].flatMap((path) =>
    Array.from({ length: 50 }, () => keepAsking(busy, path, stop.signal)),
  )
  const [a = [], b = []] = await compare([busy, quiet], { name: 'waiting', path: '/', connections: 32 })
  stop.abort()
  await Promise.all(callers)
  await stopAll([quiet, busy])
  silent.closeAllConnections()
  silent.close()
  return [
    {
      name: 'identity.besideWaiting.ratio',
      value: ratio(a, b),
      unit: '× alone',
      note: 'while 100 requests wait for a decider and a key set that say nothing',
    },
  ]
}

const keepAsking = async ({ url }: Gateway, path: string, signal: AbortSignal): Promise<void> => {
  const authorization = 'Bearer e30.e30.e30'
  while (!signal.aborted) {
    const answer = await fetch(url + path, { headers: { authorization }, signal }).catch(() => undefined)
    await answer?.arrayBuffer().catch(() => undefined)
    // A load of immediate refusals would be negligible.
    if (answer) await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const ISSUER = 'https://issuer.test'

const route = (host: string, policies = ''): string => `  - backends: [{ host: "${host}" }]\n${policies}`

const policies = (jwks: string, rules: readonly string[]): string => `    policies:
      jwtAuth: { mode: strict, issuer: "${ISSUER}", audiences: [bench], jwks: '${jwks}' }
      authorization: { rules: ${JSON.stringify(rules)} }
      localRateLimit: [{ maxTokens: 100000000, tokensPerFill: 100000000, fillInterval: 1s }]
`

const twoRules = ['jwt.sub == "nobody"', '"read" in jwt.permissions']
const thousandRules = [
  ...Array.from({ length: 999 }, (_, i) => `jwt.sub == "nobody-${i}"`),
  '"read" in jwt.permissions',
]

const token = (key: KeyObject, sub: string): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 3600
  const text = `${part({ alg: 'RS256', kid: 'k' })}.${part({ iss: ISSUER, aud: 'bench', sub, exp, permissions: ['list', 'read'] })}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}
