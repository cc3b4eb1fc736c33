import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { freePort } from './free-port.ts'
import type { ReceivedResponse } from './send-request.ts'
import type { CookieClient } from './cookie-client.ts'

/** A real OpenID provider, over HTTP on 127.0.0.1. It accepts any name at its login. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string
  /** Requested paths, in order. */
  readonly asked: string[]
  /** Closes all connections and stops listening. */
  goAway(): Promise<void>
  /** Listens again at the same address. */
  comeBack(): Promise<void>
}

/** The registered client of the tests. */
export const testClient = { id: 'gateway', secret: 'secret of: the+gateway' }

/** Starts a provider with one client. */
export const startProvider = async (
  redirectUri: string,
  tokenEndpointAuth: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic',
): Promise<TestProvider> => {
  const asked: string[] = []
  const server = createServer()
  // Nobody else gets it while the provider is away.
  const port = await listen(server, await freePort())
  const issuer = `http://127.0.0.1:${port}`
  const provider = quietly(() => new Provider(issuer, configuration(redirectUri, tokenEndpointAuth)))
  const answer = provider.callback()
  server.on('request', (req, res) => {
    asked.push(req.url ?? '')
    void answer(req, res)
  })
  const goAway = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return {
    issuer,
    asked,
    goAway,
    async comeBack() {
      await listen(server, port)
    },
    [Symbol.asyncDispose]: goAway,
  }
}

const listen = async (server: Server, port: number): Promise<number> => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const configuration = (
  redirectUri: string,
  token_endpoint_auth_method: 'client_secret_basic' | 'client_secret_post',
): object => ({
  clients: [
    {
      client_id: testClient.id,
      client_secret: testClient.secret,
      redirect_uris: [redirectUri],
      token_endpoint_auth_method,
    },
  ],
  jwks: { keys: [newKey()] },
  cookies: { keys: ['one of the provider'] },
  claims: { openid: ['sub'], profile: ['name', 'groups'] },
  ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  // Scopes add their claims to the ID token, as with most providers.
  conformIdTokenClaims: false,
  findAccount: (_: unknown, id: string) => ({
    accountId: id,
    claims: () => ({ sub: id, name: `The ${id}`, groups: ['staff', 'eu'] }),
  }),
  features: { devInteractions: { enabled: true } },
})

const newKey = (): object => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: 'first',
  use: 'sig',
  alg: 'RS256',
})

/** It warns of settings that are unfit for production, such as plain HTTP, which tests use. */
const quietly = <T>(make: () => T): T => {
  const { warn, info } = console
  console.warn = () => undefined
  console.info = () => undefined
  try {
    return make()
  } finally {
    console.warn = warn
    console.info = info
  }
}

/**
 * Logs in with a client that keeps cookies: fills in the provider's forms, and follows the redirects to the gateway.
 *
 * @param arrives Whether to return an address instead of requesting it; by default none is.
 */
export const signIn = async (
  client: CookieClient,
  url: string,
  user: string,
  arrives: (next: string) => boolean = () => false,
): Promise<ReceivedResponse> => {
  let answer = await client.follow(url, (next) => !arrives(next))
  for (const _ of ['login', 'consent']) {
    const action = /action="([^"]+\/interaction\/[^"]+)"/.exec(answer.text)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(answer.text)?.[1]
    if (action === undefined || prompt === undefined) break
    const at = new URL(action, client.url).href
    const body = new URLSearchParams({ prompt, login: user, password: 'any' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { headers: after } = await client.ask(at, { method: 'POST', headers, body })
    const next = new URL(after.location ?? '', at).href
    if (arrives(next)) return answer
    answer = await client.follow(next, (one) => !arrives(one))
  }
  return answer
}
