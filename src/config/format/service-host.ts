import type { StaticTarget } from '../../model/resources/resources.ts'
import { parseHostPort, staticTargetFormat } from './address.ts'
import type { FormatCheck } from './format-check.ts'

/** An address, and whether its scheme requires TLS. */
export interface ServiceHost {
  readonly target: StaticTarget
  readonly isEncrypted: boolean
}

/**
 * Parses `host:port`, `unix:/path`, `http://host` and `https://host`, the latter two with or without a port.
 *
 * @example
 * parseServiceHost('https://a.example') // { target: { host: 'a.example', port: 443 }, isEncrypted: true }
 */
export function parseServiceHost(text: string): ServiceHost | undefined {
  if (text.startsWith('unix:')) return { target: { unix: text.slice('unix:'.length) }, isEncrypted: false }
  const [, scheme, authority = ''] = /^(https?):\/\/([^/]+)\/?$/i.exec(text) ?? []
  if (scheme === undefined) {
    const target = parseHostPort(text)
    return target && { target, isEncrypted: false }
  }
  const isEncrypted = scheme.toLowerCase() === 'https'
  const target = parseHostPort(
    /:\d+$/.test(authority) ? authority : `${authority}:${isEncrypted ? '443' : '80'}`,
  )
  return target && target.port > 0 ? { target, isEncrypted } : undefined
}

/** A destination: `host:port`, `unix:/path`, or a URL without a path. */
export const serviceHost: FormatCheck = (text) => {
  if (!/^https?:/i.test(text)) {
    const complaint = staticTargetFormat(text)
    return complaint && { ...complaint, expectation: EXPECTATION }
  }
  if (parseServiceHost(text) !== undefined) return undefined
  const hint = /^https?:\/\/[^/?#@]+[/?#]/i.test(text) ? { hint: 'a path cannot be given here' } : {}
  return { expectation: EXPECTATION, ...hint }
}

const EXPECTATION = 'must be host:port, unix:/path, http://host or https://host'
