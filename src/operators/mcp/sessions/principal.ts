import { hash } from 'node:crypto'
import { reveal } from '../../../../cel/headers-view.ts'
import type { Exchange } from '../../../../model/exchange.ts'

/**
 * Who is calling, as a short text that says nothing: what belongs to one caller is given to no other. All whom no policy
 * has identified are one.
 */
export const principalOf = ({ identity }: Exchange): string => {
  const { jwt, apiKey, basicAuth } = identity
  if (!jwt && !apiKey && !basicAuth) return ''
  const { iss, sub, ...rest } = (jwt ?? {}) as Record<string, unknown>
  // Without a subject, whatever does not change with each token says who it is.
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
