import { createHash } from 'node:crypto'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { MAX_LEVELS } from '../../../controller/schema/field-levels.ts'
import { modelPatternFormat } from '../../../config/format/model-pattern.ts'
import { isJsonObject, type JsonObject } from '../../../protocols/json/json-object.ts'
import { isNestedDeeper } from '../../../protocols/json/nested-levels.ts'

/** A value of a Secret or a ConfigMap. */
export interface KeyEntry {
  readonly kind: 'Secret' | 'ConfigMap'
  /** The name of the object. */
  readonly object: string
  readonly name: string
  readonly text: string
}

/**
 * The keys of entries. Those that are none are reported and left out: the objects may be those of several teams, and a
 * mistake of one must not lock out the callers of the others. Of two entries with one key the first counts.
 */
export const keysOfEntries = (
  entries: readonly KeyEntry[],
  report: (message: string) => void,
): File.ApiKey[] => {
  const known = new Map<string, string>()
  return entries.flatMap((entry) => {
    const where = `${entry.kind} ${entry.object}: "${entry.name}"`
    const found = keyOf(entry)
    if (typeof found === 'string') {
      report(`${where} ${found}`)
      return []
    }
    const hash = hashOf(found)
    const first = known.get(hash)
    if (first !== undefined) {
      report(`${where} has the same key as ${first}`)
      return []
    }
    known.set(hash, where)
    return [found]
  })
}

/** The key itself, or JSON of an object. A text if it is neither, which completes the sentence that begins with the entry. */
const keyOf = ({ kind, text }: KeyEntry): File.ApiKey | string => {
  const fields = text.startsWith('{') ? parsedObject(text) : { key: text }
  const { key, keyHash, metadata, allowedModels, ...others } = fields
  if (isText(key) === isText(keyHash)) return 'is neither a key nor JSON with "key" or "keyHash"'
  if (isText(key) && kind === 'ConfigMap') return 'has a key; ConfigMaps may only have hashes ("keyHash")'
  if (isText(keyHash) && !/^sha256:[0-9A-Fa-f]{64}$/.test(keyHash))
    return 'has a "keyHash" that is not `sha256:` and 64 hexadecimal digits'
  // Without them the caller would have other rights.
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return `has an unknown field "${unknown}"`
  if (isGiven(metadata) && !isJsonObject(metadata)) return 'has "metadata" that is no object'
  if (isNestedDeeper(metadata, MAX_LEVELS))
    return `has "metadata" that is nested more than ${MAX_LEVELS} levels deep`
  if (isGiven(allowedModels) && !isModelList(allowedModels))
    return 'has "allowedModels" that is no list of models'
  return {
    ...(isText(key) ? { key } : {}),
    ...(isText(keyHash) ? { keyHash } : {}),
    ...(isGiven(metadata) ? { metadata } : {}),
    ...(isGiven(allowedModels) ? { allowedModels } : {}),
  }
}

const hashOf = ({ key = '', keyHash }: File.ApiKey): string =>
  keyHash?.toLowerCase() ?? `sha256:${createHash('sha256').update(key).digest('hex')}`

const parsedObject = (text: string): JsonObject => {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return {}
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Whether a field of JSON says something. */
const isGiven = <Value>(value: Value): value is NonNullable<Value> => value !== undefined && value !== null

const isModelList = (value: unknown): value is string[] =>
  Array.isArray(value) &&
  value.every((one) => typeof one === 'string' && modelPatternFormat(one) === undefined)
