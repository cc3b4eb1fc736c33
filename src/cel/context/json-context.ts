import { EvaluationError } from '@marcbachmann/cel-js'
import type { CelContext } from './context.ts'
import { parseCelDuration } from '../functions/conversions.ts'
import { type HeaderSource, Secret } from './headers-view.ts'
import { nearNames } from '../engine/suggest-names.ts'
import type { AnyRecordType } from './record.ts'
import { recordTypes } from './records.ts'
import { isPlainObject } from '../values/values.ts'
import { variables } from '../variables.ts'

/**
 * The context that a JSON value describes: variables by name, fields as in the reference. Strings stand for
 * bytes, timestamps (RFC 3339) and durations (`1.5s`); header fields are an object of strings or lists of
 * strings. A body that is not a string is the JSON text of its value.
 *
 * @throws {TypeError} with the member that cannot be used, and the reason.
 * @example
 * givenContext({ request: { method: 'GET', headers: { 'x-team': 'blue' } }, jwt: { sub: 'alice' } })
 */
export const givenContext = (given: unknown): CelContext => {
  const context: Record<string, unknown> = {}
  for (const [name, value] of membersOf(given, 'the data')) {
    const variable = variables.find((one) => one.name === name)
    if (!variable) throw unknown('variable', name, variableNames)
    context[name] = variable.record ? attributesOf(variable.record, value, name) : dynamicValue(name, value)
  }
  return context
}

const variableNames = variables.map(({ name }) => name)

/** Members that hold credentials: redacted here as in traffic. */
const secretMembers: Readonly<Record<string, string>> = { jwt: 'rawToken', apiKey: 'key' }

const dynamicValue = (name: string, value: unknown): unknown => {
  if (value === null || typeof value !== 'object') {
    if (name === 'llmRequest') return value
    throw new TypeError(`${name} must be an object`)
  }
  const key = secretMembers[name]
  const secret = key === undefined ? undefined : (value as Record<string, unknown>)[key]
  return typeof secret === 'string' ? { ...value, [key as string]: new Secret(secret) } : value
}

/** An object that the fields of a record can be read from. */
const attributesOf = (record: AnyRecordType, value: unknown, path: string): object => {
  const attributes: Record<string, unknown> = {}
  for (const [name, member] of membersOf(value, path)) {
    const field = Object.hasOwn(record.fields, name) ? record.fields[name] : undefined
    if (!field) throw unknown(`field of ${path}`, name, Object.keys(record.fields))
    if (member === null) continue
    const nested = recordTypes.find((one) => one.name === field.type)
    const location = `${path}.${name}`
    attributes[attributeName(name, field.type)] = nested
      ? attributesOf(nested, member, location)
      : (readers[field.type] ?? same)(member, location)
  }
  if ('headers' in record.fields) attributes.headers ??= headers({}, path)
  if ('methodName' in record.fields) attributes.methodName ??= attributes.method
  return attributes
}

/** Attributes hold durations in milliseconds, under a name that ends in `Ms`. */
const attributeName = (field: string, type: string): string =>
  type === 'google.protobuf.Duration' ? `${field.replace(/Duration$/, '')}Ms` : field

type Reader = (value: unknown, path: string) => unknown

const same: Reader = (value) => value

const ofType =
  (type: 'string' | 'number' | 'boolean', what: string): Reader =>
  (value, path) => {
    if (typeof value === type) return value
    throw new TypeError(`${path} must be ${what}`)
  }

const text = ofType('string', 'a text')

const wholeNumber: Reader = (value, path) => {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError(`${path} must be a whole number`)
}

const bytes: Reader = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))

const timestamp: Reader = (value, path) => {
  const date = new Date(typeof value === 'string' ? value : NaN)
  if (Number.isNaN(date.getTime()))
    throw new TypeError(`${path} must be a point in time such as 2026-01-02T03:04:05Z`)
  return date
}

const duration: Reader = (value, path) => {
  try {
    return parseCelDuration(text(value, path) as string).valueOf()
  } catch (cause) {
    if (cause instanceof EvaluationError)
      throw new TypeError(`${path} must be a duration such as 1.5s`, { cause })
    throw cause
  }
}

const list: Reader = (value, path) => {
  if (Array.isArray(value)) return value as unknown[]
  throw new TypeError(`${path} must be a list`)
}

const texts: Reader = (value, path) => (list(value, path) as unknown[]).map((one) => text(one, path))

const headers = (value: unknown, path: string): HeaderSource => {
  const fields = Array.from(membersOf(value, path), ([name, given]): [string, string[]] => [
    name.toLowerCase(),
    (Array.isArray(given) ? given : [given]).map((one) => text(one, `${path}.${name}`) as string),
  ])
  return {
    all: (name) => fields.flatMap(([field, values]) => (field === name ? values : [])),
    entries: () => fields.flatMap(([name, values]) => values.map((value) => [name, value] as const)),
  }
}

const readers: Readonly<Record<string, Reader>> = {
  string: text,
  int: wholeNumber,
  double: ofType('number', 'a number'),
  bool: ofType('boolean', 'true or false'),
  bytes,
  Headers: headers,
  list,
  'list<string>': texts,
  'google.protobuf.Timestamp': timestamp,
  'google.protobuf.Duration': duration,
}

const membersOf = (value: unknown, path: string): [string, unknown][] => {
  if (typeof value === 'object' && value !== null && isPlainObject(value)) return Object.entries(value)
  throw new TypeError(`${path} must be an object`)
}

const unknown = (what: string, name: string, known: readonly string[]): TypeError => {
  const near = nearNames(name, known).map((one) => `"${one}"`)
  const hint = near.length ? `did you mean ${near.join(' or ')}?` : `there are ${known.join(', ')}`
  return new TypeError(`unknown ${what}: "${name}"; ${hint}`)
}
