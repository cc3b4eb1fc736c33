import type { Exchange } from '../../../../model/exchange.ts'
import { sessionDigest } from '../../../../protocols/mcp/session-digest.ts'
import { noteStep } from '../note-step.ts'
import type { McpSession } from './session.ts'

/** Takes down which session a request belongs to, and how that was found. */
export const noteSession = (
  x: Exchange,
  how: 'begun' | 'found' | 'restored' | 'passing' | 'ended',
  { id, revision }: McpSession,
): void => {
  if (id) x.mcp = { ...x.mcp, sessionId: id }
  if (!x.probe) return
  noteStep(x, { step: 'session', how, session: id ? sessionDigest(id) : null, revision })
}
