import { isCallerMap, refuseOtherCase } from '../values/caller-map.ts'
import { celError } from '../engine/eval-error.ts'
import { chargeCost } from '../engine/cost-meter.ts'
import { equals, keyOf } from '../engine/equality.ts'
import { refuseRepeated } from '../context/headers-view.ts'
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
  chargeCost(result.length >> 6)
  return result + text.slice(at)
}

const charAt = (text: string, index: bigint): string => {
  if (index < 0n || index > BigInt(text.length))
    throw celError('index_out_of_range', `charAt: ${String(index)} is out of range`)
  return text.charAt(Number(index))
}

const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
const asciiUpper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

const join = (list: readonly unknown[], separator: string): string => {
  let chars = 0
  for (const item of list) {
    if (typeof item !== 'string') throw celError('no_such_overload', 'join takes a list of strings')
    chars += item.length + separator.length
  }
  if (chars > maxResultChars) throw celError('limit_exceeded', 'the joined text is too long')
  chargeCost(chars >> 6)
  return list.join(separator)
}

/** Unicode white space. `String.prototype.trim` also removes a byte order mark, and keeps U+0085. */
const isSpace = (char: string): boolean =>
  /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/.test(char)

const trim = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charAt(start))) start++
  while (end > start && isSpace(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

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
        'list.contains(dyn): bool': (all: readonly unknown[], item: unknown) => {
          refuseRepeated(all)
          return all.some((one) => equals(one, item))
        },
        'map.contains(dyn): bool': (all: Map<unknown, unknown> | object, key: unknown) => {
          if (all instanceof Map && isCallerMap(all)) refuseOtherCase(all, key)
          return all instanceof Map ? all.has(keyOf(key)) : Object.hasOwn(all, String(key))
        },
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
      overloads: {
        'list.joined(): string': (list: readonly unknown[]) => join(list, ''),
        'list.joined(string): string': join,
      },
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
    {
      usage: 'string.trim()',
      description: 'Without white space at both ends.',
      overloads: { 'string.trimmed(): string': trim },
    },
    { usage: 'string.startsWith(prefix)', description: 'Whether it begins so.', overloads: {} },
    { usage: 'string.endsWith(suffix)', description: 'Whether it ends so.', overloads: {} },
  ],
}
