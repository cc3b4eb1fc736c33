import { celError } from '../failure.ts'
import { charge } from '../meter.ts'
import { equals } from '../values.ts'
import type { FunctionGroup } from './function.ts'

const replace = (text: string, from: string, to: string, times: bigint): string => {
  const most = times < 0n ? Infinity : Number(times)
  let result = ''
  let at = 0
  for (let done = 0; done < most; done++) {
    const found = text.indexOf(from, at)
    if (found < 0) break
    // An empty search text is found between all characters.
    const step = from === '' ? 1 : from.length
    result += text.slice(at, found) + to + (from === '' ? text.slice(found, found + 1) : '')
    at = found + step
    if (at > text.length) break
    if (result.length > maxResultChars) throw celError('limit_exceeded', 'the replaced text is too long')
  }
  charge(result.length >> 6)
  return result + text.slice(at)
}

const charAt = (text: string, index: bigint): string => {
  if (index < 0n || index > BigInt(text.length))
    throw celError('index_out_of_range', `charAt: ${String(index)} is out of range`)
  return text.charAt(Number(index))
}

const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
const asciiUpper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

const maxResultChars = 1 << 24

/** Functions on text. */
export const strings: FunctionGroup = {
  title: 'Strings',
  functions: [
    {
      usage: 'string.charAt(index)',
      description: 'The character at an index; empty at the end.',
      overloads: { 'string.charAt(int): string': charAt },
    },
    {
      usage: 'x.contains(y)',
      description: 'Whether a string, bytes or list contains `y`, or a map has the key `y`.',
      overloads: {
        'bytes.contains(bytes): bool': (all: Uint8Array, part: Uint8Array) =>
          Buffer.from(all).includes(Buffer.from(part)),
        'list.contains(dyn): bool': (all: readonly unknown[], item: unknown) =>
          all.some((one) => equals(one, item)),
        'map.contains(dyn): bool': (all: Map<unknown, unknown> | object, key: unknown) =>
          all instanceof Map ? all.has(key) : Object.hasOwn(all, String(key)),
      },
    },
    {
      usage: 'string.replace(from, to), string.replace(from, to, times)',
      description: 'Every occurrence, or the first `times`, replaced.',
      overloads: {
        'string.replace(string, string): string': (text: string, from: string, to: string) =>
          replace(text, from, to, -1n),
        'string.replace(string, string, int): string': replace,
      },
    },
    {
      usage: 'string.stripPrefix(prefix)',
      description: 'Without the prefix, if it has it.',
      overloads: {
        'string.stripPrefix(string): string': (text: string, prefix: string) =>
          text.startsWith(prefix) ? text.slice(prefix.length) : text,
      },
    },
    {
      usage: 'string.stripSuffix(suffix)',
      description: 'Without the suffix, if it has it.',
      overloads: {
        'string.stripSuffix(string): string': (text: string, suffix: string) =>
          text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
      },
    },
    {
      usage: 'string.lowerAscii()',
      description: 'ASCII letters in lower case.',
      overloads: { 'string.asciiLower(): string': asciiLower },
    },
    {
      usage: 'string.upperAscii()',
      description: 'ASCII letters in upper case.',
      overloads: { 'string.asciiUpper(): string': asciiUpper },
    },
    {
      usage: 'string.indexOf(part), string.indexOf(part, from)',
      description: 'First index, or -1.',
      overloads: {},
    },
    {
      usage: 'string.lastIndexOf(part), string.lastIndexOf(part, from)',
      description: 'Last index, or -1.',
      overloads: {},
    },
    {
      usage: 'list.join(), list.join(separator)',
      description: 'The strings of a list, one after the other.',
      overloads: {},
    },
    {
      usage: 'string.split(separator), string.split(separator, most)',
      description: 'The parts between separators.',
      overloads: {},
    },
    {
      usage: 'string.substring(start), string.substring(start, end)',
      description: 'A part. Indexes count UTF-16 units.',
      overloads: {},
    },
    { usage: 'string.trim()', description: 'Without white space at both ends.', overloads: {} },
    { usage: 'string.startsWith(prefix)', description: 'Whether it begins so.', overloads: {} },
    { usage: 'string.endsWith(suffix)', description: 'Whether it ends so.', overloads: {} },
  ],
}
