import { onReply, onRequest } from '../../pipeline/stage.ts'
import { recordJsonRpcCall } from './record-call.ts'
import { recordA2aResult } from './record-result.ts'
import {
  requestIdentityEncoding,
  isAgentCardRequest,
  rewriteAgentCard,
  type AgentCardRewriteOptions,
} from './rewrite-agent-card.ts'
import type { Phases } from '../phases.ts'

/**
 * The policy for an A2A agent: its card names the gateway's address, and calls and results are recorded in logs and
 * traces. Calls and responses, streams included, pass unchanged.
 *
 * Belongs next to the call of the backend, so that later stages work on the card that the client gets.
 */
export const a2a = (options: AgentCardRewriteOptions): Phases => ({
  request: onRequest('a2a', (x) => {
    if (isAgentCardRequest(x.request)) requestIdentityEncoding(x.request)
    return recordJsonRpcCall(x)
  }),
  reply: onReply('a2a-reply', (x) => {
    const { reply } = x
    if (!reply) return undefined
    if (isAgentCardRequest(x.request)) return rewriteAgentCard(x, reply, options)
    recordA2aResult(x, reply)
    return undefined
  }),
})
