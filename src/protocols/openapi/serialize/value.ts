import { isJsonObject } from '../json/json-object.ts'
import type { ParameterPlan } from './open-api-tool.ts'
import { Unsendable } from './unsendable.ts'

/** A value as text: JSON if it is neither text, number nor truth value. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // JSON escapes what is half of a pair, so that only texts can be at fault here.
  if (!text.isWellFormed()) throw new Unsendable('a text contains half of a surrogate pair')
  return text
}

/** Name and text of each pair that a value becomes, of which neither is escaped yet. Null is nothing. */
export const pairsOf = (
  plan: ParameterPlan,
  value: unknown,
): [name: string, value: string | readonly string[]][] => {
  const { name, style, explode } = plan
  if (value === undefined || value === null) return []
  if (plan.isJson) return [[name, JSON.stringify(value)]]
  if (style === 'deepObject') return deepPairs(name, value)
  if (Array.isArray(value)) {
    const texts = given(value).map(textOf)
    if (texts.length === 0) return []
    return explode ? texts.map((text) => [name, text]) : [[name, texts]]
  }
  if (!isJsonObject(value)) return [[name, textOf(value)]]
  const fields = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  if (fields.length === 0) return []
  return explode
    ? fields.map(([key, one]) => [textOf(key), textOf(one)])
    : [[name, fields.flatMap(([key, one]) => [textOf(key), textOf(one)])]]
}

/** One value of a path or a header: `escape` is applied to every text, not to what stands between them. */
export const listOf = (plan: ParameterPlan, value: unknown, escape: (text: string) => string): string => {
  if (plan.isJson) return escape(JSON.stringify(value))
  const between = plan.explode
    ? (({ label: '.', matrix: ';' } as Record<string, string>)[plan.style] ?? ',')
    : ','
  if (Array.isArray(value)) {
    const texts = given(value).map((one) => escape(textOf(one)))
    if (plan.style === 'matrix' && plan.explode) return texts.map((text) => `${plan.name}=${text}`).join(';')
    return texts.join(between)
  }
  if (!isJsonObject(value)) return escape(textOf(value))
  return Object.entries(value)
    .filter(([, one]) => one !== null && one !== undefined)
    .map(([key, one]) => `${escape(textOf(key))}${plan.explode ? '=' : ','}${escape(textOf(one))}`)
    .join(between)
}

const given = (values: readonly unknown[]): unknown[] =>
  values.filter((value) => value !== null && value !== undefined)

/** Levels of brackets. Servers that read them bear five to a hundred. */
const MAX_DEPTH = 32

const deepPairs = (name: string, value: unknown, depth = 0): [string, string][] => {
  if (value === undefined || value === null) return []
  if (depth > MAX_DEPTH) throw new Unsendable(`a value is nested deeper than ${MAX_DEPTH} levels`)
  if (Array.isArray(value))
    // Things of a list need numbers, lest the fields of several be taken for those of one; plain values need none.
    return given(value).flatMap((one, i) =>
      deepPairs(typeof one === 'object' ? `${name}[${i}]` : `${name}[]`, one, depth + 1),
    )
  if (!isJsonObject(value)) return [[name, textOf(value)]]
  return Object.entries(value).flatMap(([key, one]) => deepPairs(`${name}[${textOf(key)}]`, one, depth + 1))
}
