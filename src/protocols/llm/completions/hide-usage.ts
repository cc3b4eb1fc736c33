import { jsonObjectOr } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import type { Members } from '../members/members.ts'
import { eventsIn } from '../../sse/event-splitter.ts'

/**
 * Makes a stream report usage at its end (`stream_options.include_usage`).
 *
 * @returns Whether the client had not requested it, so that it must be hidden from the client.
 */
export const includeUsage = (request: Members): boolean => {
  const options = jsonObjectOr(request.get('stream_options'))
  if (options.include_usage === true) return false
  request.set('stream_options', { ...options, include_usage: true })
  return true
}

/**
 * Hides usage from a client that did not request it (`stream_options.include_usage`): removes the chunk with usage and
 * no choices, and the `"usage":null` of the others. Every other byte stays, and events without one are returned as they
 * are.
 *
 * @param events Whole events, each with its blank line.
 */
export const hideUsage = (events: Buffer): Buffer => {
  // In Latin-1 every byte is one character, so offsets are the same. Quotation marks in texts are escaped: no text can
  // match as a member.
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

/** Includes its comma. */
const nullUsage = /,[ \t]*"usage"[ \t]*:[ \t]*null|"usage"[ \t]*:[ \t]*null(?:[ \t]*,)?/g

/** At most one event of a stream matches, so that one is parsed to be certain. */
const isWithoutChoices = (event: Buffer): boolean => {
  const text = event.toString('latin1')
  if (!usage.test(text) || !noChoices.test(text)) return false
  const json = event.toString('utf8', text.indexOf('{'), text.lastIndexOf('}') + 1)
  const choices = readJsonObject(json)?.choices
  return Array.isArray(choices) && choices.length === 0
}

const noChoices = /"choices"[ \t]*:[ \t]*\[[ \t]*\]/
