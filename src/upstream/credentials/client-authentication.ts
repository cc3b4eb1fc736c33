import { createHash, randomUUID, X509Certificate } from 'node:crypto'
import type { ClientAuth } from '../../operators/backend-auth/schema/normal-form.ts'
import { jwtSigner } from './jwt-signer.ts'

/** How a token request authenticates its client. */
export interface ClientProof {
  readonly authorization?: string
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/** Creates the client authentication of each request: by RFC 6749 §2.3.1 or RFC 7523 §2.2. */
export const clientAuthentication = (auth: ClientAuth): (() => ClientProof | Promise<ClientProof>) => {
  const { clientId } = auth
  switch (auth.method) {
    case 'clientSecretBasic': {
      const pair = `${formEncoded(clientId)}:${formEncoded(auth.clientSecret.secret)}`
      const proof = { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, parameters: [] }
      return () => proof
    }
    case 'clientSecretPost': {
      const secret = auth.clientSecret?.secret
      const parameters = [
        ['client_id', clientId] as const,
        ...(secret === undefined ? [] : [['client_secret', secret] as const]),
      ]
      return () => ({ parameters })
    }
    case 'privateKeyJwt': {
      const sign = jwtSigner(auth, auth.certificate && certificateHeader(auth.certificate))
      const claims = { iss: clientId, sub: clientId, aud: auth.assertionAudience }
      return async () => ({
        parameters: [
          ['client_id', clientId],
          ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
          ['client_assertion', await sign({ ...claims, jti: randomUUID() }, ASSERTION_LIFE_MS)],
        ],
      })
    }
  }
}

/** Short, since the bearer of an assertion can act as the gateway; long enough for clock skew. */
const ASSERTION_LIFE_MS = 300_000

/** Form encoding, which RFC 6749 requires for both parts. */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)

type Certificate = NonNullable<Extract<ClientAuth, { readonly method: 'privateKeyJwt' }>['certificate']>

const certificateHeader = ({ chain, header }: Certificate): Readonly<Record<string, unknown>> => {
  const certificates = (chain.secret.match(ONE_CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem).raw)
  if (header === 'x5c') return { x5c: certificates.map((raw) => raw.toString('base64')) }
  const [leaf = Buffer.alloc(0)] = certificates
  return { 'x5t#S256': createHash('sha256').update(leaf).digest('base64url') }
}

const ONE_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
