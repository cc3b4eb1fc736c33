import { readJson } from '../../protocols/json/read-json.ts'

/** The unverified claims of a JSON Web Token; undefined for any other text. */
export const payloadOf = (token: string): Readonly<Record<string, unknown>> | undefined => {
  const [, payload, signature, more] = token.split('.', 4)
  if (payload === undefined || signature === undefined || more !== undefined) return undefined
  const claims = readJson(Buffer.from(payload, 'base64url').toString())
  return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined
}
