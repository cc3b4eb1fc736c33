import { Flattened, entriesOf, toPlain, toText } from '../../cel/values/values.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { hideSecrets, hideSecretsInJson, querySecrets, type Redaction } from '../../model/trace/redact.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'
import type { AddedField } from './access-log-policy.ts'
import type { LogLineFields } from './line.ts'

/** Maximum length of the value of an expression. */
const maxValueLength = 8 * 1024

/**
 * Appends configured fields. Credentials that an expression reads, on purpose or not, are found by value and redacted.
 */
export const writeAdded = (
  line: LogLineFields,
  x: Exchange,
  added: readonly AddedField[],
  redaction: Redaction,
): void => {
  writeFields(line, x, added, exchangeSecrets(x, redaction))
}

/** The known credentials of an exchange: in its header fields, its query, and found by policies. */
export const exchangeSecrets = (x: Exchange, redaction: Redaction): readonly string[] => {
  const secrets = redaction.secrets(x.request.headers.raw)
  if (x.request.query.includes('=')) secrets.push(...querySecrets(x.request.query))
  if (x.reply) secrets.push(...redaction.secrets(x.reply.headers.raw))
  if (x.policy.secrets) secrets.push(...x.policy.secrets)
  return secrets
}

/** Appends configured fields of any subject. Values in `secrets` are redacted. */
export const writeFields = <X>(
  line: LogLineFields,
  x: X,
  added: readonly AddedField<X>[],
  secrets: readonly string[],
): void => {
  for (const { name, value } of added) writeValue(line, name, value(x), secrets)
}

const writeValue = (line: LogLineFields, name: string, value: unknown, secrets: readonly string[]): void => {
  if (value === undefined || value === null) return
  const text = toText(value)
  if (value instanceof Flattened) flatten(line, name, value, secrets)
  else if (isNumber(value)) line.number(name, Number(value))
  else if (typeof value === 'boolean') line.json(name, String(value))
  else if (text !== undefined) line.text(name, hideSecrets(text, secrets).slice(0, maxValueLength))
  else writeJson(line, name, hideSecretsInJson(JSON.stringify(toPlain(value)), secrets))
}

const isNumber = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'bigint' && Number.isSafeInteger(Number(value))

/** Truncated JSON would be invalid; as text it is still readable. */
const writeJson = (line: LogLineFields, name: string, json: string): void => {
  if (json.length <= maxValueLength) line.json(name, json)
  else line.text(name, json.slice(0, maxValueLength))
}

/** Writes members as fields `name.member`. */
const flatten = (
  line: LogLineFields,
  name: string,
  { value, recursive }: Flattened,
  secrets: readonly string[],
) => {
  if (!isJsonObject(value)) {
    writeValue(line, name, value, secrets)
    return
  }
  for (const [key, member] of entriesOf(value)) {
    const inner = recursive && typeof member === 'object' ? new Flattened(member, true) : member
    writeValue(line, `${name}.${String(key).replace(/[^\w.$/@:-]/g, '_')}`, inner, secrets)
  }
}
