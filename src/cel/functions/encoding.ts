import { createHash } from 'node:crypto'
import { celError, noSuchKey } from '../engine/eval-error.ts'
import { parseJson, writeCelJson } from '../values/json.ts'
import { entriesOf, toText } from '../values/values.ts'
import { type FunctionGroup, overloads } from './function.ts'

type Text = string | Uint8Array

const bytesOf = (input: Text): Buffer =>
  typeof input === 'string' ? Buffer.from(input) : Buffer.from(input.buffer, input.byteOffset, input.length)

/** The first argument is the namespace value, which is the receiver. */
const encode64 = (_: unknown, input: Text): string => bytesOf(input).toString('base64')

const decode64 = (_: unknown, input: string): Buffer => {
  // Node skips characters that are not base64; a credential must not be decoded from such a text.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(input)) throw celError('invalid_base64', 'base64.decode: not base64')
  return Buffer.from(input, 'base64')
}

const hash =
  (algorithm: 'sha1' | 'sha256' | 'md5') =>
  (_: unknown, input: Text): string =>
    createHash(algorithm).update(input).digest('hex')

/** Everything but the unreserved characters of RFC 3986. */
const encodeUrl = (_: unknown, input: string): string =>
  encodeURIComponent(input).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const decodeUrl = (_: unknown, input: string): string => {
  try {
    return decodeURIComponent(input)
  } catch {
    throw celError('invalid_url_encoding', 'url.decode: not URL-encoded UTF-8')
  }
}

/** Names and values of a form; a repeated name has a list. */
const decodeForm = (text: string): Map<string, unknown> => {
  const fields = new Map<string, unknown>()
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields.get(name)
    if (before === undefined) fields.set(name, value)
    else if (Array.isArray(before)) before.push(value)
    else fields.set(name, [before, value])
  }
  return fields
}

/** Keys sorted, lists repeat their key, null is left out. */
const encodeForm = (_: unknown, fields: unknown): string => {
  const form = new URLSearchParams()
  const entries = Array.from(entriesOf(fields), ([key, value]) => [String(key), value] as const)
  for (const [key, value] of entries.sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (item === null) continue
      const text = toText(item)
      if (text === undefined) throw celError('no_such_overload', `form.encode: ${key} has no text`)
      form.append(key, text)
    }
  return form.toString()
}

const jwtPayload = (token: string): unknown => {
  const [, payload] = token.split('.')
  if (payload === undefined) throw celError('invalid_token', 'unvalidatedJwtPayload: not a JWT')
  return parseJson(Buffer.from(payload, 'base64url'))
}

const jsonField = (input: Text, name: string): unknown => {
  const value = parseJson(input)
  if (!(value instanceof Map)) throw celError('no_such_overload', 'jsonField: the text is no JSON object')
  const member: unknown = (value as Map<string, unknown>).get(name)
  if (member === undefined) throw noSuchKey(name)
  return member
}

const hashFunction = (algorithm: 'sha1' | 'sha256' | 'md5') => ({
  usage: `${algorithm}.encode(x)`,
  description: 'Hash of a string or bytes, lower-case hexadecimal.',
  overloads: overloads(
    [`${algorithm}.encode(string): string`, `${algorithm}.encode(bytes): string`],
    hash(algorithm),
  ),
})

/** Functions that encode and decode values. */
export const encoding: FunctionGroup = {
  title: 'Encodings',
  namespaces: ['base64', 'url', 'form', 'sha1', 'sha256', 'md5'],
  functions: [
    {
      usage: 'json(x)',
      description: 'The value of a JSON text, a string or bytes.',
      overloads: overloads(['json(string): dyn', 'json(bytes): dyn', 'bytes.jsonValue(): dyn'], parseJson),
    },
    {
      usage: 'jsonField(x, name)',
      description: 'One member of the object of a JSON text, a string or bytes. Fails where there is none.',
      overloads: overloads(['jsonField(string, string): dyn', 'jsonField(bytes, string): dyn'], jsonField),
    },
    {
      usage: 'toJson(x), to_json(x)',
      description: 'The JSON text of a value. Bytes are base64, timestamps RFC 3339.',
      overloads: overloads(['toJson(dyn): string', 'to_json(dyn): string'], writeCelJson),
    },
    {
      usage: 'unvalidatedJwtPayload(token)',
      description: 'The claims of a JWT, whoever made it: never decide by them.',
      overloads: { 'unvalidatedJwtPayload(string): dyn': jwtPayload },
    },
    {
      usage: 'base64.encode(x), base64Encode(x)',
      description: 'Base64 of a string or bytes.',
      overloads: {
        ...overloads(['base64.encode(string): string', 'base64.encode(bytes): string'], encode64),
        ...overloads(['base64Encode(string): string', 'base64Encode(bytes): string'], (input: Text) =>
          encode64(undefined, input),
        ),
      },
    },
    {
      usage: 'base64.decode(string), base64Decode(string)',
      description: 'Bytes of base64, in the usual or the URL alphabet.',
      overloads: {
        'base64.decode(string): bytes': decode64,
        'base64Decode(string): bytes': (input: string) => decode64(undefined, input),
      },
    },
    {
      usage: 'url.encode(string)',
      description: 'Percent-encoded for a part of a URL.',
      overloads: { 'url.encode(string): string': encodeUrl },
    },
    {
      usage: 'url.decode(string)',
      description: 'Percent-decoded; `+` stays.',
      overloads: { 'url.decode(string): string': decodeUrl },
    },
    {
      usage: 'form.encode(map)',
      description: 'A form body. Keys are sorted, lists repeat their key, null is left out.',
      overloads: { 'form.encode(map): string': encodeForm },
    },
    {
      usage: 'form.decode(x)',
      description: 'The fields of a form body, a string or bytes; a repeated name has a list.',
      overloads: overloads(
        ['form.decode(string): map', 'form.decode(bytes): map'],
        (_: unknown, input: Text) => decodeForm(bytesOf(input).toString()),
      ),
    },
    hashFunction('sha1'),
    hashFunction('sha256'),
    hashFunction('md5'),
  ],
}
