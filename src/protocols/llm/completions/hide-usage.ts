import { readJsonObject } from '../../json/read-json.ts'
import { eventsIn } from '../../sse/event-cutter.ts'

/**
 * What a client is to see of events of a stream in which the gateway alone has asked for usage
 * (`stream_options.include_usage`): of the chunk that has it and no choices, nothing; of the others, all but the
 * `"usage":null` that each of them has then. Every other byte stays, and events without one are given back as they are.
 *
 * @param events Whole events, each with its blank line.
 */
export const hideUsage = (events: Buffer): Buffer => {
  // As Latin-1 every byte is a character, so that places are the same. Quotation marks inside of texts are escaped: nothing
  // that somebody says can look like a member.
  const text = events.toString('latin1')
  if (!usage.test(text)) return withoutNull(events, text)
  const shown = [...eventsIn(events)].filter((event) => !isWithoutChoices(event)).map(hideNull)
  return shown.reduce((sum, { length }) => sum + length, 0) === events.length ? events : Buffer.concat(shown)
}

const hideNull = (event: Buffer): Buffer => withoutNull(event, event.toString('latin1'))

const withoutNull = (events: Buffer, text: string): Buffer => {
  const rest = text.replace(nullUsage, '')
  return rest.length === text.length ? events : Buffer.from(rest, 'latin1')
}

const usage = /"usage"[ \t]*:[ \t]*\{/

/** With the comma that belongs to it. */
const nullUsage = /,[ \t]*"usage"[ \t]*:[ \t]*null|"usage"[ \t]*:[ \t]*null(?:[ \t]*,)?/g

/** Once a stream at most an event looks like it, and then it is worth being sure. */
const isWithoutChoices = (event: Buffer): boolean => {
  const text = event.toString('latin1')
  if (!usage.test(text) || !noChoices.test(text)) return false
  const json = event.toString('utf8', text.indexOf('{'), text.lastIndexOf('}') + 1)
  const choices = readJsonObject(json)?.choices
  return Array.isArray(choices) && choices.length === 0
}

const noChoices = /"choices"[ \t]*:[ \t]*\[[ \t]*\]/
