import { entriesOf } from '../../cel/values.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Headers } from '../../model/headers.ts'
import { isEditable } from '../editable-field.ts'
import { evaluatedText } from '../header-text.ts'
import type { Transformation } from '../transform.ts'

/** Sets something of a message that is no header field, such as `:path`, if the value fits. */
export type SetPart = (x: Exchange, value: unknown) => void

/** Parts of a message that are named like header fields. */
export type Parts = ReadonlyMap<string, SetPart>

/** One change of the headers of an exchange's message. */
export type HeaderStep = (x: Exchange, headers: Headers) => void

/** What a transformation does to the headers, step by step. */
export interface HeaderSteps {
  /** First of all; expressions of the others read what they leave. */
  readonly metadata: readonly ((x: Exchange) => void)[]
  /** After the headers were replaced, if they are. */
  readonly fields: readonly HeaderStep[]
}

/** Compiles all of a transformation but what replaces headers or body as a whole. */
export const headerSteps = ({ metadata, add, set, remove }: Transformation, parts: Parts): HeaderSteps => ({
  metadata: metadata.map(([key, value]) => metadataStep(key, value)),
  fields: [
    ...add.map(([name, value]) => fieldStep('append', name, value, parts)),
    ...set.map(([name, value]) => fieldStep('set', name, value, parts)),
    ...remove.map(removeStep),
  ],
})

/** Leaves values for later expressions; one that fails leaves none. */
const metadataStep =
  (key: string, value: Evaluate) =>
  (x: Exchange): void => {
    const result = value(x)
    if ('value' in result) (x.metadata ??= {})[key] = result.value
  }

/** Adds or sets one field or part by an expression. */
const fieldStep = (how: 'append' | 'set', name: string, value: Evaluate, parts: Parts): HeaderStep => {
  const field = name.toLowerCase()
  const setPart = parts.get(field)
  if (setPart)
    return (x) => {
      const result = value(x)
      if ('value' in result) setPart(x, result.value)
    }
  if (!isEditable(field)) return () => undefined
  return (x, headers) => {
    const text = evaluatedText(value(x))
    if (text === undefined) headers.delete(field)
    else headers[how](field, text)
  }
}

/** Removes a field; parts of a message cannot be removed. */
const removeStep = (name: string): HeaderStep => {
  const field = name.toLowerCase()
  return isEditable(field)
    ? (_, headers) => {
        headers.delete(field)
      }
    : () => undefined
}

/**
 * Replaces all fields that a policy may touch with those of a map: name to text, bytes, or a list of them.
 *
 * @returns What went wrong; nothing was changed then.
 */
export const replaceHeaders = (
  x: Exchange,
  headers: Headers,
  replacement: Evaluate,
  parts: Parts,
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
    else if (isEditable(name)) appendAll(headers, name, value)
  }
  return undefined
}

const appendAll = (headers: Headers, name: string, value: unknown): void => {
  for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const text = evaluatedText({ value: one })
    if (text !== undefined) headers.append(name, text)
  }
}
