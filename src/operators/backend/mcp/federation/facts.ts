import { type MonoTypeOperatorFunction, tap } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import type { McpFacts } from '../../../../model/mcp-facts.ts'
import { isRequest, type Message, type Outcome } from '../../../../protocols/json-rpc/message.ts'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import type { Subject } from '../../../../protocols/mcp/methods.ts'
import { errorOf } from '../answer/fault-answer.ts'
import { noteStep } from '../note-step.ts'
import type { Owned } from './owners.ts'
import { type FromServer, isOutcome } from '../servers/peer.ts'
import type { Question } from './question.ts'

/** Takes down what a client says: of several messages, the first request counts, else the first of all. */
export const takeDownHeard = (x: Exchange, messages: readonly Message[]): void => {
  const first = messages.find(isRequest) ?? messages[0]
  if (first && 'method' in first) x.mcp = { ...x.mcp, methodName: first.method }
  if (!x.probe) return
  for (const message of messages.slice(0, TOLD_LIMIT))
    if ('method' in message)
      noteStep(x, { step: 'heard', method: message.method, id: isRequest(message) ? message.id : null })
}

/** What is known of a request by itself. An exchange may carry several: nothing of the others is in here. */
export const factsOf = ({ x, method }: Pick<Question, 'x' | 'method'>): McpFacts => ({
  sessionId: x.mcp?.sessionId,
  methodName: method,
})

/** What is known of a request about something, once it is known whose that is. */
export const factsAbout = (
  question: Pick<Question, 'x' | 'method' | 'params'>,
  { kind }: Subject,
  { target, name }: Owned,
): McpFacts => {
  const facts = { ...factsOf(question), target: target.name, kind }
  const thing = { target: target.name, name }
  if (kind !== 'tool') return { ...facts, [kind]: thing }
  const { arguments: given } = question.params ?? {}
  const isCall = question.method === 'tools/call'
  return { ...facts, tool: isCall ? { ...thing, arguments: jsonObjectOr(given) } : thing }
}

/** Takes down how a request about something went, which expressions may read from then on. */
export const takeDownResult = (x: Exchange, facts: McpFacts): MonoTypeOperatorFunction<Outcome> => {
  const { tool } = facts
  const failed = (error: object): void => {
    x.mcp = { ...facts, ...(tool && { tool: { ...tool, error } }) }
  }
  return tap({
    next: (outcome) => {
      if ('error' in outcome) {
        failed(outcome.error)
        return
      }
      const { result } = outcome
      x.mcp = { ...facts, isKnown: result.isError !== true, ...(tool && { tool: { ...tool, result } }) }
    },
    error: (fault: unknown) => {
      if (fault instanceof Fault) failed(errorOf(fault))
    },
  })
}

/** Takes down with which error a request ended, if it did. */
export const takeDownError = (x: Exchange): MonoTypeOperatorFunction<FromServer> =>
  tap({
    next: (message) => {
      if (isOutcome(message) && 'error' in message) x.mcp = { ...x.mcp, error: message.error }
    },
    error: (fault: unknown) => {
      if (fault instanceof Fault) x.mcp = { ...x.mcp, error: errorOf(fault) }
    },
  })

/** Messages of one batch that the trace tells of. */
const TOLD_LIMIT = 32
