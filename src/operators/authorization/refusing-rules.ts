import type { Reply } from '../../model/exchange/reply.ts'
import type { CompiledRule } from './exchange-rule.ts'

/** The rules behind each refusal, for stages that report more about it. The client sees none of this. */
const byReply = new WeakMap<Reply, readonly CompiledRule[]>()

/** Records the rules that caused a refusal. */
export const refusedBy = (reply: Reply, rules: readonly CompiledRule[]): Reply => {
  byReply.set(reply, rules)
  return reply
}

/** The rules that caused a refusal: the one that decided, or all allow rules if none of them matched. */
export const refusingRules = (reply: Reply): readonly CompiledRule[] => byReply.get(reply) ?? []
