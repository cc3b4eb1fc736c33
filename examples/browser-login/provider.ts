/* An identity provider for experiments: every user is accepted without a password. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

const { PORT = '9000', PUBLIC_URL = 'http://localhost:8080' } = process.env
const server = createServer().listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
console.log(issuer)

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const provider = new Provider(issuer, {
  clients: [
    { client_id: 'gateway', client_secret: 'not-very-secret', redirect_uris: [`${PUBLIC_URL}/callback`] },
  ],
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] },
  cookies: { keys: ['of the provider'] },
  claims: { openid: ['sub'], profile: ['name', 'groups'] },
  conformIdTokenClaims: false,
  ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  findAccount: (_: unknown, id: string) => ({
    accountId: id,
    claims: () => ({ sub: id, name: `${id} of the example`, groups: id === 'guest' ? [] : ['staff'] }),
  }),
})
const answer = provider.callback()
server.on('request', (req, res) => void answer(req, res))
