/** A form of a credential in a response. */
export interface CredentialEncoding {
  readonly text: string
  /** Length of the prefix that must match: messages often shorten the keys that they quote. */
  readonly leastLength: number
}

/**
 * The forms in which a response may repeat a credential: as it is, escaped by JSON libraries, percent-encoded as in a
 * URL, and as a part of base64.
 */
export const credentialEncodings = (secret: string): readonly CredentialEncoding[] => {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret)
  const escapes = new Set([
    escaped,
    escaped.replaceAll('/', String.raw`\/`),
    ...[/[<>&='+/]/g, /[<>&='+]/g, /[<>&'+]/g, /[<>&]/g].flatMap((escapable) =>
      [hex, (char: string) => hex(char).toUpperCase()].map((digits) =>
        escaped.replaceAll(escapable, (char) => `\\u${digits(char)}`),
      ),
    ),
    encoded,
    encoded.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  ])
  escapes.delete(secret)
  // A partial match could end before an escape and leave the rest visible: then only the full length matches.
  const found = new Map([[secret, escapes.size > 0 ? secret.length : leastLengthOf(secret)]])
  for (const text of escapes) found.set(text, text.length)
  for (const text of base64Of(secret)) found.set(text, text.length)
  return [...found].map(([text, leastLength]) => ({ text, leastLength }))
}

/** Tokens of one issuer have the same prefix (RFC 7519): only the signature may be missing. */
const leastLengthOf = (secret: string): number => {
  if (/^eyJ[\w-]*\.[\w-]*\.[\w-]+$/.test(secret)) return secret.lastIndexOf('.')
  if (secret.length < 16) return secret.length
  return Math.min(24, Math.max(12, Math.ceil(secret.length * 0.75)))
}

/** For every offset in a group of three bytes. */
const base64Of = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret)
  const found: string[] = []
  for (const offset of [0, 1, 2]) {
    const all = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // Only characters that depend on no other byte.
    const text = all.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    if (text.length >= LEAST_BASE64) found.push(text, text.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return found
}

const hex = (char: string): string => char.charCodeAt(0).toString(16).padStart(4, '0')

const LEAST_BASE64 = 10
