import type { ErrorObject } from 'ajv/dist/2020.js'
import { isJsonObject } from '../../protocols/json/json-object.ts'
import { formats } from '../format/formats.ts'
import { nearest } from './did-you-mean.ts'

/** The message for one validation error. */
export interface Expectation {
  readonly expectation: string
  readonly hint?: string
  /** Whether the sentence is about the value, which is then printed before it. */
  readonly aboutValue: boolean
}

/** The expected value, for one validation error about one value. */
export function expected(error: ErrorObject, data: unknown): Expectation {
  const { keyword, params, parentSchema } = error
  switch (keyword) {
    case 'type':
      if (typeof data === 'number' && parentSchema?.format === 'duration') {
        return {
          expectation: 'must be a duration such as 10s',
          hint: `did you mean "${String(data)}s"?`,
          aboutValue: true,
        }
      }
      if (error.instancePath === '/policies' && isJsonObject(data))
        return {
          ...wrongType('array', data),
          hint: 'those of a route go into its own field; here each entry has a target',
        }
      return withFields(wrongType(params.type as string | readonly string[], data), parentSchema, data)
    case 'enum':
      return wrongWord(params.allowedValues as readonly unknown[], data)
    case 'format': {
      const complaint = formats[String(params.format)]?.(String(data))
      return { expectation: `must be a ${String(params.format)}`, aboutValue: true, ...complaint }
    }
    case 'minimum':
    case 'maximum':
      return { expectation: range(parentSchema as Range), aboutValue: true }
    case 'minLength':
      return { expectation: 'must not be empty', aboutValue: false }
    case 'maxLength':
      return { expectation: `must be at most ${String(params.limit)} characters long`, aboutValue: true }
    case 'pattern':
      return { expectation: `must match ${String(params.pattern)}`, aboutValue: true }
    case 'minItems':
    case 'maxItems':
      return { expectation: count(error), aboutValue: false }
    case 'x-within': {
      const { list, present } = params as { readonly list: string; readonly present: readonly string[] }
      const verb = present.length === 1 ? 'goes' : 'go'
      return {
        expectation: `has ${list}, into whose entries ${present.join(', ')} ${verb}`,
        aboutValue: false,
      }
    }
    case 'x-exactlyOne':
    case 'x-atMostOneOf':
      return { expectation: exclusive(params as Exclusive), aboutValue: false }
    default:
      return { expectation: error.message ?? `violates "${keyword}"`, aboutValue: false }
  }
}

interface Range {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
}

interface Exclusive {
  readonly names: readonly string[]
  readonly present: readonly string[]
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

function wrongType(type: string | readonly string[], data: unknown): Expectation {
  const types = typeof type === 'string' ? type.split(',') : type
  const expectedTypes = types.map((one) => TYPE_WORDS[one] ?? one).join(' or ')
  if (data === null || data === undefined) {
    const hint = types.includes('object') ? { hint: 'write {} for its defaults, or remove it' } : {}
    return { expectation: `has no value, it must be ${expectedTypes}`, aboutValue: false, ...hint }
  }
  if (typeof data === 'object') {
    const hint = types.includes('array') ? { hint: 'begin each entry with "- "' } : {}
    return {
      expectation: `must be ${expectedTypes}, not ${Array.isArray(data) ? 'a list' : 'an object'}`,
      aboutValue: false,
      ...(Array.isArray(data) ? {} : hint),
    }
  }
  return { expectation: `must be ${expectedTypes}`, aboutValue: true, ...wayOfWriting(types, data) }
}

/** Adds the expected fields of an object that replaces the text, if they are few. */
function withFields(words: Expectation, schema: ErrorObject['parentSchema'], data: unknown): Expectation {
  const names = Object.keys((schema?.properties ?? {}) as object)
  const isWord = typeof data !== 'object' && typeof data !== 'undefined'
  if (words.hint !== undefined || !isWord || names.length === 0 || names.length > 16) return words
  return { ...words, hint: `its fields: ${names.join(', ')}` }
}

function wayOfWriting(types: readonly string[], data: unknown): { hint?: string } {
  if (types.includes('string')) return { hint: 'put quotes around it' }
  if (types.includes('array') && typeof data === 'string') return { hint: 'put brackets around it' }
  const number = types.some((type) => type === 'integer' || type === 'number')
  if (number && typeof data === 'string' && /^\d+$/.test(data)) return { hint: 'write it without quotes' }
  return types.includes('boolean') && (data === 'yes' || data === 'no' || data === 'on' || data === 'off')
    ? { hint: `did you mean ${String(data === 'yes' || data === 'on')}?` }
    : {}
}

function wrongWord(allowed: readonly unknown[], data: unknown): Expectation {
  // Words that look like numbers are also allowed as numbers; they are listed once.
  const choices = [...new Set(allowed.map((one) => JSON.stringify(String(one))))].join(', ')
  const meant =
    typeof data === 'string'
      ? nearest(
          data,
          allowed.filter((one) => typeof one === 'string'),
        )
      : undefined
  return {
    expectation: allowed.length === 1 ? `must be ${choices}` : `must be one of ${choices}`,
    aboutValue: true,
    ...(meant === undefined ? {} : { hint: `did you mean "${meant}"?` }),
  }
}

function range({ minimum, maximum }: Range): string {
  if (minimum !== undefined && maximum !== undefined)
    return `must be from ${String(minimum)} to ${String(maximum)}`
  if (minimum !== undefined) return `must be at least ${String(minimum)}`
  return `must be at most ${String(maximum)}`
}

function count({ keyword, params, instancePath }: ErrorObject): string {
  const limit = String(params.limit)
  if (instancePath.endsWith('/conditional')) {
    return keyword === 'minItems'
      ? 'conditional policies must have at least one entry'
      : `conditional policies may have at most ${limit} entries`
  }
  return keyword === 'minItems' ? 'must have at least one entry' : `must have at most ${limit} entries`
}

function exclusive({ names, present }: Exclusive): string {
  if (present.length === 0) return `must have one of ${names.join(', ')}`
  return `must have only one of ${names.join(', ')}, not ${present.join(' and ')}`
}
