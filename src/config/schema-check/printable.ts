import {
  Redaction,
  hideSecrets,
  isSensitiveParameter,
  redactText,
  redacted,
} from '../../model/trace/redact.ts'
import type { ConfigDocument } from '../document/document.ts'
import { segments } from '../document/json-pointer.ts'

const LONGEST = 80

/**
 * A value as messages may print it: substituted values as written in the file, credentials hidden, long
 * texts cut.
 */
export function printable(document: ConfigDocument, pointer: string, value: unknown): string {
  if (isSecret(pointer) && !isPathOfKey(pointer, value)) return redacted
  // What is made by programs may be undefined, for which there is no text.
  const text = (JSON.stringify(document.writtenAs(pointer) ?? value) as string | undefined) ?? 'undefined'
  return cut(redactText(hideSecrets(text, document.secrets)))
}

/** Whether the field, or its parent, is named like a credential. */
export function isSecret(pointer: string): boolean {
  const [field = '', owner = ''] = segments(pointer).slice(-2).reverse()
  // The key of consistent hashing is an expression.
  if (owner === 'ringHash') return false
  return !/^file$|File$/.test(field) && (soundsSecret(field) || (soundsSecret(owner) && !POLICIES.has(owner)))
}

/** The key of a certificate is a path, unless the file contains the key itself. */
function isPathOfKey(pointer: string, value: unknown): boolean {
  const [field = '', owner = ''] = segments(pointer).slice(-2).reverse()
  return field === 'key' && /^(?:tls|backendTLS)$/.test(owner) && !/\n|-----/.test(String(value))
}

function soundsSecret(name: string): boolean {
  if (PUBLIC.has(name)) return false
  return usual.isSensitive(name.toLowerCase()) || isSensitiveParameter(name) || NAMED.has(name)
}

/** Credentials whose names do not look like it. */
const NAMED = new Set(['htpasswd', 'keyHash', 'keyPem', 'signingKey'])
/** Fields that only look like credentials by their names. */
const PUBLIC = new Set(['allowCredentials', 'clientCredentials'])
/** Policies that are named like credentials; their fields need not be secret. */
const POLICIES = new Set(['authorization', 'apiKey'])
const usual = new Redaction()

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`
}
