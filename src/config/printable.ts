import type { ConfigDocument } from './document.ts'
import { segments } from './instance-path.ts'

const LONGEST = 80

/** Fields whose values are, or lead to, credentials. */
const SECRET =
  /(^|[-_])(key|token|secret|password|passwd|credentials?|cookie|auth|authorization)$|(api|client|private|access|signing|session|encryption)[-_]?(key|secret|token)|htpasswd|secret|password/i

/**
 * A value as messages may show it: what came from variables as it was written, credentials not at all, long texts cut.
 */
export function printable(document: ConfigDocument, pointer: string, value: unknown): string {
  if (isSecret(pointer)) return '<redacted>'
  return cut(JSON.stringify(document.writtenAs(pointer) ?? value))
}

/** Whether the field, or the one that holds it, is named like a credential. */
export function isSecret(pointer: string): boolean {
  return segments(pointer)
    .slice(-2)
    .some((name) => SECRET.test(name))
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`
}
