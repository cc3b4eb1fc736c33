import { jsonObjectOr } from '../../json/json-object.ts'

/**
 * What a client is to see of an event of a stream in which the gateway alone has asked for usage
 * (`stream_options.include_usage`): of the chunk that has it and no choices, nothing; of the others, all but the
 * `"usage":null` that each of them has then. Every other byte stays, and events without one are given back as they are.
 *
 * @param event One whole event, with its blank line.
 */
export const hideUsage = (event: Buffer): Buffer | undefined => {
  // As Latin-1 every byte is a character, so that places are the same. Quotation marks inside of texts are escaped: nothing
  // that somebody says can look like a member.
  const text = event.toString('latin1')
  const found = usage.exec(text)
  if (!found) return event
  const { index } = found
  const end = index + found[0].length
  if (text[end - 1] === '{') return isWithoutChoices(event, text) ? undefined : event
  const comma = beforeBlanks(text, index - 1)
  if (text[comma] === ',') return without(event, comma, end)
  const after = afterBlanks(text, end)
  return without(event, index, text[after] === ',' ? after + 1 : end)
}

const usage = /"usage"[ \t]*:[ \t]*(?:null|\{)/

const without = (bytes: Buffer, start: number, end: number): Buffer =>
  Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])

/** Once a stream at most an event looks like it, and then it is worth being sure. */
const isWithoutChoices = (event: Buffer, text: string): boolean => {
  if (!noChoices.test(text)) return false
  try {
    const json = event.toString('utf8', text.indexOf('{'), text.lastIndexOf('}') + 1)
    const { choices } = jsonObjectOr(JSON.parse(json))
    return Array.isArray(choices) && choices.length === 0
  } catch {
    return false
  }
}

const noChoices = /"choices"[ \t]*:[ \t]*\[[ \t]*\]/

const afterBlanks = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

const beforeBlanks = (text: string, from: number): number => {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at--
  return at
}
