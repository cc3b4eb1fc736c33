import { from, map, type Observable } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import { type Reply, respond } from '../../../model/exchange/reply.ts'
import { BadRequest } from '../../../protocols/llm/chat/codec.ts'
import { encodeTokenCount } from '../../../protocols/llm/generate-content/token-count.ts'
import { encodeTokenCountReply } from '../../../protocols/llm/messages/token-count.ts'
import { promptOf } from '../../../protocols/llm/token-count/prompt.ts'
import type { OptionGroups } from '../routing/provider-target.ts'
import { draftForProvider } from '../provider-request/mutated-request.ts'
import type { CountTokens } from './count-tokens.ts'
import type { ClientRequest } from '../request/client-request.ts'
import { requestFailed } from '../refusals.ts'

/**
 * Replies to a request that only counts tokens, if none of the providers can count: with an estimate, marked by the
 * header `x-gateway-token-count`. Undefined for every other request.
 */
export const estimateCount = (
  x: Exchange,
  clientRequest: ClientRequest,
  groups: OptionGroups,
  count: CountTokens,
): Observable<Exchange> | undefined => {
  const { type, body, requestLine } = clientRequest
  if (!body || (type !== 'anthropicTokenCount' && type !== 'geminiCountTokens')) return undefined
  for (const group of groups)
    for (const option of group) {
      const { service, provider } = option.candidate
      const { model } = draftForProvider(x, { ...clientRequest, body }, type, option)
      if (service.formats(model, provider.settings).includes(type)) return undefined
    }
  const replied = (reply: Reply): Exchange => {
    x.reply = reply
    return x
  }
  const estimate = async (): Promise<Reply> => {
    try {
      const tokens = await count(promptOf(type, body.json, requestLine), x.signal)
      if (x.protocol.llm) x.protocol.llm.countTokens = tokens
      const encoded = type === 'geminiCountTokens' ? encodeTokenCount(tokens) : encodeTokenCountReply(tokens)
      return respond(200, JSON.stringify(encoded), new Headers(headers))
    } catch (problem) {
      if (problem instanceof BadRequest) return requestFailed('invalid_request', problem.message)
      throw problem
    }
  }
  return from(estimate()).pipe(map(replied))
}

const headers = ['content-type', 'application/json', 'x-gateway-token-count', 'estimate']
