import { entriesOf } from '../../cel/values/values.ts'
import type { Evaluate, Evaluated } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import { isEditable } from '../headers/protected-headers.ts'

/** Changes made by expressions, applied in the order metadata, replace, add, set, remove, body. */
export interface CompiledTransformation {
  /** Values for later expressions, as `metadata.key`. */
  readonly metadata: readonly (readonly [key: string, value: Evaluate])[]
  /** A map that replaces all headers. */
  readonly replace?: Evaluate | undefined
  readonly add: readonly (readonly [name: string, value: Evaluate])[]
  readonly set: readonly (readonly [name: string, value: Evaluate])[]
  readonly remove: readonly string[]
  readonly body?: Evaluate | undefined
}

/** Sets a part of a message that is not a header field, such as `:path`, if the value is valid. */
export type SetPart = (x: Exchange, value: unknown) => void

/** Parts of a message with names like header fields. */
export type Parts = ReadonlyMap<string, SetPart>

/** Differences between requests and replies. */
export interface TransformDirection {
  readonly parts: Parts
  /** The text for a header of this name; undefined omits the header. */
  readonly textOf: (name: string, result: Evaluated) => string | undefined
}

/** A change of the headers of an exchange's message. */
export type HeaderStep = (x: Exchange, headers: Headers) => void

/** The header changes of a transformation, step by step. */
export interface HeaderSteps {
  /** Runs first; the other expressions read its values. */
  readonly metadata: readonly ((x: Exchange) => void)[]
  /** After the headers were replaced, if at all. */
  readonly fields: readonly HeaderStep[]
}

/** Compiles a transformation except for the replacement of all headers or of the body. */
export const headerSteps = (
  { metadata, add, set, remove }: CompiledTransformation,
  direction: TransformDirection,
): HeaderSteps => {
  const own = [...add, ...set].map(([name]) => name.toLowerCase())
  return {
    metadata: metadata.map(([key, value]) => metadataStep(key, value)),
    fields: [
      ...add.map(([name, value]) => fieldStep('add', name, value, direction, own)),
      ...set.map(([name, value]) => fieldStep('set', name, value, direction, own)),
      ...remove.map((name) => removeStep(name, own)),
    ],
  }
}

/** Sets values for later expressions; one that fails sets none. */
const metadataStep =
  (key: string, value: Evaluate) =>
  (x: Exchange): void => {
    const result = value(x)
    if ('value' in result) (x.policy.metadata ??= {})[key] = result.value
  }

/** Adds or sets a field or part by an expression. */
const fieldStep = (
  how: 'add' | 'set',
  name: string,
  value: Evaluate,
  { parts, textOf }: TransformDirection,
  own: readonly string[],
): HeaderStep => {
  const field = name.toLowerCase()
  const setPart = parts.get(field)
  if (setPart)
    return (x) => {
      const result = value(x)
      if ('value' in result) setPart(x, result.value)
    }
  if (!isEditable(field)) return () => undefined
  return (x, headers) => {
    const text = textOf(field, value(x))
    if (text === undefined) headers.delete(field, own)
    else headers[how](field, text, own)
  }
}

/** Removes a field; parts of a message cannot be removed. */
const removeStep = (name: string, own: readonly string[]): HeaderStep => {
  const field = name.toLowerCase()
  return isEditable(field)
    ? (_, headers) => {
        headers.delete(field, own)
      }
    : () => undefined
}

/**
 * Replaces all fields that are not protected with those of a map: name to text, bytes, or a list of them.
 *
 * @returns The reason of a failure; nothing was changed then.
 */
export const replaceHeaders = (
  x: Exchange,
  headers: Headers,
  replacement: Evaluate,
  { parts, textOf }: TransformDirection,
): string | undefined => {
  const result = replacement(x)
  if ('error' in result) return result.error
  let entries: (readonly [unknown, unknown])[]
  try {
    entries = [...entriesOf(result.value)]
  } catch {
    return 'the replacement of the headers is no map'
  }
  const kept = [...headers.entries()].filter(([name]) => !isEditable(name))
  headers.raw.length = 0
  for (const [name, value] of kept) headers.append(name, value)
  for (const [key, value] of entries) {
    const name = String(key).toLowerCase()
    const setPart = parts.get(name)
    if (setPart) setPart(x, value)
    else if (isEditable(name)) appendAll(headers, name, value, textOf)
  }
  return undefined
}

const appendAll = (
  headers: Headers,
  name: string,
  value: unknown,
  textOf: TransformDirection['textOf'],
): void => {
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const text = textOf(name, { value: one })
    if (text !== undefined) headers.append(name, text)
  }
}
