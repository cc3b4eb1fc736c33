import { getCiphers } from 'node:tls'
import type { FormatCheck } from './format-check.ts'

/**
 * The OpenSSL name of a cipher suite, given that name or the one of the TLS registry.
 *
 * @example
 * opensslCipher('TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256') // 'ECDHE-RSA-AES128-GCM-SHA256'
 */
export function opensslCipher(name: string): string | undefined {
  const registered =
    /^TLS_(ECDHE|DHE)_(ECDSA|RSA)_WITH_(AES_128_GCM_SHA256|AES_256_GCM_SHA384|CHACHA20_POLY1305_SHA256)$/.exec(
      name,
    )
  if (registered !== null) {
    const [, exchange = '', signature = '', cipher = ''] = registered
    return `${exchange}-${signature}-${CIPHERS[cipher] ?? ''}`
  }
  known ??= new Set(getCiphers())
  return known.has(name.toLowerCase()) ? name : undefined
}

/** A cipher suite of OpenSSL, by either of its names. */
export const cipherSuite: FormatCheck = (text) =>
  opensslCipher(text) === undefined
    ? { expectation: 'is not a cipher suite known here', hint: 'write it like TLS_AES_256_GCM_SHA384' }
    : undefined

const CIPHERS: Readonly<Record<string, string>> = {
  AES_128_GCM_SHA256: 'AES128-GCM-SHA256',
  AES_256_GCM_SHA384: 'AES256-GCM-SHA384',
  CHACHA20_POLY1305_SHA256: 'CHACHA20-POLY1305',
}

/** In lower case, as Node lists them. */
let known: ReadonlySet<string> | undefined
