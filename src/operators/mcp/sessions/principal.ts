import { hash } from 'node:crypto'
import { reveal } from '../../../cel/context/headers-view.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'

/** An opaque id of the caller: state of one caller is never given to another. All anonymous callers have one id. */
export const principalOf = ({ identity }: Exchange): string => {
  const { jwt, apiKey, basicAuth } = identity
  if (!jwt && !apiKey && !basicAuth) return ''
  const { iss, sub, ...rest } = (jwt ?? {}) as Record<string, unknown>
  // Without a subject, the claims that are the same in each token identify the caller.
  const subject = sub === undefined ? { iss, ...lasting(rest) } : { iss, sub }
  const key = apiKey && Object.entries(apiKey).map(([name, value]) => [name, reveal(value)])
  const text = JSON.stringify([subject, key, basicAuth?.username])
  return hash('sha256', text, 'base64url').slice(0, 22)
}

const lasting = ({
  exp: _,
  iat: __,
  nbf: ___,
  jti: ____,
  auth_time: _____,
  ...claims
}: Record<string, unknown>) => claims
