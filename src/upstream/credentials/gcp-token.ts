import type { JWTInput } from 'google-auth-library'
import type { GcpAuth } from '../../operators/backend-auth/schema/normal-form.ts'
import { readJsonObject } from '../../protocols/json/read-json.ts'
import { CredentialFault } from './credential-fault.ts'
import type { IssuedToken } from './token-cache.ts'
import { within } from './issue-token.ts'

/**
 * Gets a token of Google Cloud: by the credential of the policy, or by the application default credentials. The library
 * is loaded by the first request.
 *
 * @param audience Of an ID token; undefined requests an access token.
 */
export const gcpToken = ({
  credential,
}: GcpAuth): ((audience: string | undefined) => Promise<IssuedToken>) => {
  let found: ReturnType<typeof googleAuth> | undefined
  return (audience) => {
    const issue = async (): Promise<IssuedToken> => {
      const auth = await (found ??= googleAuth(credential?.secret))
      if (audience === undefined) {
        const client = await auth.getClient()
        const { token } = await client.getAccessToken()
        return issued(token, client.credentials.expiry_date)
      }
      const client = await auth.getIdTokenClient(audience)
      const token = await client.idTokenProvider.fetchIdToken(audience)
      return issued(token, expiryOf(token))
    }
    return within('Google Cloud', issue())
  }
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
/** For tokens without an expiry. */
const USUAL_LIFE_MS = 300_000

const googleAuth = async (credential: string | undefined) => {
  const { GoogleAuth } = await import('./google-library.ts')
  return new GoogleAuth({
    scopes: SCOPE,
    ...(credential !== undefined && { credentials: JSON.parse(credential) as JWTInput }), // checked when it was loaded
  })
}

const issued = (token: string | null | undefined, expiresAtMs: number | null | undefined): IssuedToken => {
  if (!token) throw new CredentialFault('Google Cloud gave no token')
  return { text: token, lifeMs: expiresAtMs ? expiresAtMs - Date.now() : USUAL_LIFE_MS }
}

const expiryOf = (token: string): number | undefined => {
  const claims = readJsonObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return typeof claims?.exp === 'number' ? claims.exp * 1000 : undefined
}
