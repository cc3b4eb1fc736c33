import { Redaction, hideSecrets, isSensitiveParameter, redactText, redacted } from '../model/redact.ts'
import type { ConfigDocument } from './document.ts'
import { segments } from './instance-path.ts'

const LONGEST = 80

/**
 * A value as messages may show it: what came from variables as it was written, credentials not at all, long texts cut.
 */
export function printable(document: ConfigDocument, pointer: string, value: unknown): string {
  if (isSecret(pointer) && !isPathOfKey(pointer, value)) return redacted
  return cut(redactText(hideSecrets(JSON.stringify(document.writtenAs(pointer) ?? value), document.secrets)))
}

/** Whether the field, or the one that holds it, is named like a credential. */
export function isSecret(pointer: string): boolean {
  const [field = '', holder = ''] = segments(pointer).slice(-2).reverse()
  return field !== 'file' && (soundsSecret(field) || (soundsSecret(holder) && !POLICIES.has(holder)))
}

/** The key of a certificate is a path, unless somebody has put the key itself there. */
function isPathOfKey(pointer: string, value: unknown): boolean {
  const [field = '', holder = ''] = segments(pointer).slice(-2).reverse()
  return field === 'key' && /^(?:tls|backendTLS)$/.test(holder) && !/\n|-----/.test(String(value))
}

function soundsSecret(name: string): boolean {
  if (PUBLIC.has(name)) return false
  return usual.isSensitive(name.toLowerCase()) || isSensitiveParameter(name) || NAMED.has(name)
}

/** Fields that do not sound like credentials. */
const NAMED = new Set(['htpasswd', 'keyHash', 'signingKey'])
/** Fields that only sound like credentials. */
const PUBLIC = new Set(['allowCredentials', 'clientCredentials'])
/** Policies that sound like credentials: what they hold need not be any. */
const POLICIES = new Set(['authorization', 'apiKey'])
const usual = new Redaction()

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`
}
