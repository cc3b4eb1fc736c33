import { hash } from 'node:crypto'

/**
 * A short digest of a session id for logs and traces: the id itself would let readers use the session. Equal for every
 * message of the session, on every replica.
 */
export const sessionDigest = (id: string): string => hash('sha256', id, 'hex').slice(0, 16)
