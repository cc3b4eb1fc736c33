import { afterBlanks, beforeBlanks, valueAfter } from './member-bytes.ts'

/**
 * What a client is to see of an event of a stream in which the gateway alone has asked for usage
 * (`stream_options.include_usage`): of the chunk that has it and no choices, nothing; of the others, all but the
 * `"usage":null` that each of them has then. Every other byte stays, and events without one are given back as they are.
 *
 * @param event One whole event, with its blank line.
 */
export const hideUsage = (event: Buffer): Buffer | undefined => {
  for (let at = event.indexOf(name); at >= 0; at = event.indexOf(name, at + name.length)) {
    const value = valueAfter(event, name, at)
    if (value < 0) continue
    if (event[value] === OPEN_BRACE) return isWithoutChoices(event) ? undefined : event
    if (event.toString('latin1', value, value + 4) === 'null') return without(event, at, value + 4)
  }
  return event
}

/** Without a member, and without the comma that belongs to it. */
const without = (bytes: Buffer, start: number, end: number): Buffer => {
  const before = beforeBlanks(bytes, start - 1)
  if (bytes[before] === COMMA) return Buffer.concat([bytes.subarray(0, before), bytes.subarray(end)])
  const after = afterBlanks(bytes, end)
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(bytes[after] === COMMA ? after + 1 : end)])
}

/** Once a stream at most the bytes look like it, and then it is worth being sure. */
const isWithoutChoices = (event: Buffer): boolean => {
  const at = event.indexOf(choices)
  const value = at < 0 ? -1 : valueAfter(event, choices, at)
  if (value < 0 || event[value] !== OPEN_BRACKET || event[afterBlanks(event, value + 1)] !== CLOSE_BRACKET)
    return false
  try {
    const text = event.toString('utf8', event.indexOf('{'), event.lastIndexOf('}') + 1)
    const chunk = JSON.parse(text) as { readonly choices?: unknown; readonly usage?: unknown }
    return Array.isArray(chunk.choices) && chunk.choices.length === 0 && typeof chunk.usage === 'object'
  } catch {
    return false
  }
}

const name = Buffer.from('"usage"')
const choices = Buffer.from('"choices"')
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
