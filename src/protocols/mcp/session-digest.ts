import { hash } from 'node:crypto'

/**
 * A short name for a session that opens nothing: whoever has the id itself may use the session, so that logs and traces
 * show this instead. The same for every message of the session, on every replica.
 */
export const sessionDigest = (id: string): string => hash('sha256', id, 'hex').slice(0, 16)
