import { randomUUID } from 'node:crypto'

/** An id for a call that came without one. */
export const newCallId = (): string => `call_${randomUUID().replaceAll('-', '')}`
