import { randomUUID } from 'node:crypto'
import type { Fields } from '../members/fields.ts'

/** An id for a call that came without one. */
export const newCallId = (): string => `call_${randomUUID().replaceAll('-', '')}`

/** The id of a call or its result. As in protocol buffers, an empty one is absent. */
export const callIdIn = (call: Fields): string | undefined => {
  const id = call.text('id')
  return id === '' ? undefined : id
}
