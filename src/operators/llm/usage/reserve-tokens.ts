import { finalize, from, mergeMap, type Observable, of } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { TokenQuota } from '../../../model/exchange/token-limit.ts'
import { BadRequest } from '../../../protocols/llm/chat/codec.ts'
import { isFormat } from '../../../protocols/llm/format.ts'
import { textNameProblem } from '../../../protocols/llm/members/read-members.ts'
import { type Prompt, promptOf } from '../../../protocols/llm/token-count/prompt.ts'
import type { OptionGroups } from '../routing/provider-target.ts'
import type { CountTokens } from './count-tokens.ts'
import { notJson } from '../request/parse-body.ts'
import type { ClientRequest } from '../request/client-request.ts'

/**
 * Reserves the tokens of the prompt before the call, if there is a token limit and one of the providers is configured
 * to have its prompts counted; replies with the limit's refusal if there are not enough. Reserved tokens that are not
 * used are released when the calls end, in whatever way.
 */
export const reservingTokens = (
  x: Exchange,
  clientRequest: ClientRequest,
  groups: OptionGroups,
  count: CountTokens,
  call: () => Observable<Exchange>,
): Observable<Exchange> => {
  const quota = x.policy.tokenQuota
  if (!quota || !groups.some((group) => group.some(({ candidate }) => candidate.provider.tokenize)))
    return call()
  // A field that is not counted must not reach a provider.
  const misnamed = clientRequest.body && textNameProblem(clientRequest.body.json)
  if (misnamed !== undefined) {
    x.reply = notJson(misnamed)
    return of(x)
  }
  const prompt = promptIn(clientRequest)
  return prompt ? reserving(x, quota, count(prompt, x.signal), call) : call()
}

const reserving = (
  x: Exchange,
  quota: TokenQuota,
  counted: Promise<number>,
  call: () => Observable<Exchange>,
): Observable<Exchange> => {
  let isCalled = false
  const release = (): void => {
    quota.release()
  }
  return from(counted).pipe(
    mergeMap((tokens) => quota.reserve(tokens)),
    mergeMap((refusal) => {
      if (refusal) {
        x.reply = refusal
        return of(x)
      }
      // Inside this pipe, so that the usage is recorded before the release.
      const called$ = call().pipe(finalize(release))
      isCalled = true
      return called$
    }),
    finalize(() => {
      if (!isCalled) release()
    }),
  )
}

/** Nothing is counted of a request that cannot be decoded: the provider will refuse it. */
const promptIn = ({ type, body, requestLine }: ClientRequest): Prompt | undefined => {
  if (!body || !isFormat(type) || type === 'anthropicTokenCount' || type === 'geminiCountTokens')
    return undefined
  try {
    return promptOf(type, body.json, requestLine)
  } catch (problem) {
    if (problem instanceof BadRequest) return undefined
    throw problem
  }
}
