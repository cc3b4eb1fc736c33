import assert from 'node:assert/strict'
import { receivedEvents } from './goldens.ts'

/**
 * Compares the output with the expected value, in which `<id>` matches any text: ids that the provider does not send
 * are generated.
 */
export const assertLike = (actual: unknown, expected: unknown): void => {
  assert.deepEqual(withIds(actual, expected), expected)
}

/** Compares streams event by event: their names, and their JSON. */
export const assertStreamLike = (actual: string, expected: string): void => {
  assertLike(eventsOf(actual), eventsOf(expected))
}

const eventsOf = (text: string): unknown[] =>
  receivedEvents('completions', [Buffer.from(text)]).map(({ name, data }) => ({
    name,
    data: data === '[DONE]' ? data : (JSON.parse(data) as unknown),
  }))

/** The value with `<id>` where the expected value has it and the value has something. */
const withIds = (actual: unknown, expected: unknown): unknown => {
  if (typeof actual === 'string' && typeof expected === 'string') {
    const [before = '', after] = expected.split('<id>')
    const fits = after !== undefined && actual.startsWith(before) && actual.endsWith(after)
    return fits && actual.length > before.length + after.length ? expected : actual
  }
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((item: unknown, i) => withIds(item, (expected as unknown[])[i]))
  if (typeof actual !== 'object' || actual === null || typeof expected !== 'object' || expected === null)
    return actual
  const like = expected as Record<string, unknown>
  return Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, withIds(value, like[name])]))
}
