import { isJsonObject } from '../../json/json-object.ts'
import type { ParameterPlan } from '../open-api-tool.ts'
import { InvalidArgument } from './invalid-argument.ts'

/** A value as text: JSON unless it is a string, number or boolean. */
export const valueText = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // JSON escapes lone surrogates, so that only plain strings can contain one.
  if (!text.isWellFormed()) throw new InvalidArgument('a text contains half of a surrogate pair')
  return text
}

/** The pairs of name and text of a value, not yet escaped. Null has none. */
export const pairsOf = (
  plan: ParameterPlan,
  value: unknown,
): [name: string, value: string | readonly string[]][] => {
  const { name, style, explode } = plan
  if (value === undefined || value === null) return []
  if (plan.isJson) return [[name, JSON.stringify(value)]]
  if (style === 'deepObject') return deepPairs(name, value)
  if (Array.isArray(value)) {
    const texts = given(value).map(valueText)
    if (texts.length === 0) return []
    return explode ? texts.map((text) => [name, text]) : [[name, texts]]
  }
  if (!isJsonObject(value)) return [[name, valueText(value)]]
  const fields = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  if (fields.length === 0) return []
  return explode
    ? fields.map(([key, one]) => [valueText(key), valueText(one)])
    : [[name, fields.flatMap(([key, one]) => [valueText(key), valueText(one)])]]
}

/** One value of a path or a header: `escape` is applied to the texts, not to the separators. */
export const listValue = (plan: ParameterPlan, value: unknown, escape: (text: string) => string): string => {
  if (plan.isJson) return escape(JSON.stringify(value))
  const between = plan.explode
    ? (({ label: '.', matrix: ';' } as Record<string, string>)[plan.style] ?? ',')
    : ','
  if (Array.isArray(value)) {
    const texts = given(value).map((one) => escape(valueText(one)))
    if (plan.style === 'matrix' && plan.explode) return texts.map((text) => `${plan.name}=${text}`).join(';')
    return texts.join(between)
  }
  if (!isJsonObject(value)) return escape(valueText(value))
  return Object.entries(value)
    .filter(([, one]) => one !== null && one !== undefined)
    .map(([key, one]) => `${escape(valueText(key))}${plan.explode ? '=' : ','}${escape(valueText(one))}`)
    .join(between)
}

const given = (values: readonly unknown[]): unknown[] =>
  values.filter((value) => value !== null && value !== undefined)

/** Levels of brackets. Servers that parse them support five to a hundred. */
const MAX_DEPTH = 32

const deepPairs = (name: string, value: unknown, depth = 0): [string, string][] => {
  if (value === undefined || value === null) return []
  if (depth > MAX_DEPTH) throw new InvalidArgument(`a value is nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value))
    // Objects in a list need an index, so that their fields are not merged; plain values need none.
    return given(value).flatMap((one, i) =>
      deepPairs(typeof one === 'object' ? `${name}[${i}]` : `${name}[]`, one, depth + 1),
    )
  if (!isJsonObject(value)) return [[name, valueText(value)]]
  return Object.entries(value).flatMap(([key, one]) =>
    deepPairs(`${name}[${valueText(key)}]`, one, depth + 1),
  )
}

/** Decodes base64, in either alphabet, padded or not. */
export const bytesOf = (value: unknown, location: string): Buffer => {
  // Node decodes a prefix of invalid input; an incomplete file is worse than none.
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value))
    throw new InvalidArgument(`${location} must be base64`)
  return Buffer.from(value, 'base64')
}
