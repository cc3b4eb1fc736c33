import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { SigningKey } from '../../operators/backend-auth/schema/normal-form.ts'

/** Signs claims: adds `iat` and `exp`, in whole seconds. */
export type JwtSigner = (claims: Readonly<Record<string, unknown>>, lifeMs: number) => Promise<string>

/**
 * Signs tokens with a private key in PEM, in any of the usual encodings.
 *
 * @param more Further parameters of the header.
 */
export const jwtSigner = (
  { signingKey, alg, kid }: SigningKey,
  more: Readonly<Record<string, unknown>> = {},
): JwtSigner => {
  const header = { alg, typ: 'JWT', ...(kid !== undefined && { kid }), ...more }
  let key: KeyObject | undefined
  return (claims, lifeMs) => {
    key ??= createPrivateKey(signingKey.secret)
    const now = Math.floor(Date.now() / 1000)
    return new SignJWT({ ...claims, iat: now, exp: now + Math.ceil(lifeMs / 1000) })
      .setProtectedHeader(header)
      .sign(key)
  }
}
