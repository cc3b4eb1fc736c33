import { type MonoTypeOperatorFunction, tap } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import type { McpAttributes } from '../../../model/mcp/mcp-attributes.ts'
import { isRequest, type Message, type Outcome } from '../../../protocols/json-rpc/message.ts'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import type { Subject } from '../../../protocols/mcp/methods.ts'
import { errorOf } from '../response/json-rpc-error.ts'
import { traceStep } from '../trace-step.ts'
import { type FromServer, isOutcome } from '../servers/server-client.ts'
import type { McpClientRequest, ResolvedItem } from './client-request.ts'

/** Records a client's messages: in a batch, the first request counts, else the first message. */
export const recordRequest = (x: Exchange, messages: readonly Message[]): void => {
  const first = messages.find(isRequest) ?? messages[0]
  if (first && 'method' in first) x.protocol.mcp = { ...x.protocol.mcp, methodName: first.method }
  if (!x.probe) return
  for (const message of messages.slice(0, TRACED_LIMIT))
    if ('method' in message)
      traceStep(x, { step: 'heard', method: message.method, id: isRequest(message) ? message.id : null })
}

/** Attributes of a request without its subject. An exchange may carry several: nothing of the others is included. */
export const mcpAttributesOf = ({ x, method }: Pick<McpClientRequest, 'x' | 'method'>): McpAttributes => ({
  sessionId: x.protocol.mcp?.sessionId,
  methodName: method,
})

/** Attributes of a request with a subject, once its server is known. */
export const mcpAttributesAbout = (
  request: Pick<McpClientRequest, 'x' | 'method' | 'params'>,
  { kind }: Subject,
  { target, name }: ResolvedItem,
): McpAttributes => {
  const attributes = { ...mcpAttributesOf(request), target: target.name, kind }
  const object = { target: target.name, name }
  if (kind !== 'tool') return { ...attributes, [kind]: object }
  const { arguments: given } = request.params ?? {}
  const isCall = request.method === 'tools/call'
  return { ...attributes, tool: isCall ? { ...object, arguments: jsonObjectOr(given) } : object }
}

/** Records the result of a request with a subject; expressions may read it from then on. */
export const recordResult = (x: Exchange, attributes: McpAttributes): MonoTypeOperatorFunction<Outcome> => {
  const { tool } = attributes
  const failed = (error: object): void => {
    x.protocol.mcp = { ...attributes, ...(tool && { tool: { ...tool, error } }) }
  }
  return tap({
    next: (outcome) => {
      if ('error' in outcome) {
        failed(outcome.error)
        return
      }
      const { result } = outcome
      x.protocol.mcp = {
        ...attributes,
        isKnown: result.isError !== true,
        ...(tool && { tool: { ...tool, result } }),
      }
    },
    error: (fault: unknown) => {
      if (fault instanceof Fault) failed(errorOf(fault))
    },
  })
}

/** Records the error that ended a request, if any. */
export const recordError = (x: Exchange): MonoTypeOperatorFunction<FromServer> =>
  tap({
    next: (message) => {
      if (isOutcome(message) && 'error' in message)
        x.protocol.mcp = { ...x.protocol.mcp, error: message.error }
    },
    error: (fault: unknown) => {
      if (fault instanceof Fault) x.protocol.mcp = { ...x.protocol.mcp, error: errorOf(fault) }
    },
  })

/** Messages of one batch that are traced. */
const TRACED_LIMIT = 32
