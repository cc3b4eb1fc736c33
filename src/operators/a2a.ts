import { onReply, onRequest } from '../pipeline/stage.ts'
import { hear } from './a2a/hear-call.ts'
import { hearAnswer } from './a2a/hear-answer.ts'
import { askForPlainCard, asksForCard, rehome, type RehomeOptions } from './a2a/rehome.ts'
import type { Phases } from './phases.ts'

/**
 * Stands in front of an A2A agent: its card says that it lives at the gateway, and what its callers ask and get is taken
 * down for logs and traces. Calls and answers, streams included, pass as they are.
 *
 * Belongs next to the call of the backend: what later stages change is the card that the client gets.
 */
export const a2a = (options: RehomeOptions): Phases => ({
  request: onRequest('a2a', (x) => {
    if (asksForCard(x.request)) askForPlainCard(x.request)
    return hear(x)
  }),
  reply: onReply('a2a-reply', (x) => {
    const { reply } = x
    if (!reply) return undefined
    if (asksForCard(x.request)) return rehome(x, reply, options)
    hearAnswer(x, reply)
    return undefined
  }),
})
