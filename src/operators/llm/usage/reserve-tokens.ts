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
 * Asks with so many tokens set aside as the prompt has, where there is a limit of tokens and one of the providers is
 * configured to have its prompts counted; answers with the limit's refusal if there are not enough. What was set aside and
 * not used is given back when nobody is asked any more, however that ended.
 */
export const reservingTokens = (
  x: Exchange,
  heard: ClientRequest,
  groups: OptionGroups,
  count: CountTokens,
  ask: () => Observable<Exchange>,
): Observable<Exchange> => {
  const quota = x.policy.tokenQuota
  if (!quota || !groups.some((group) => group.some(({ candidate }) => candidate.provider.tokenize)))
    return ask()
  // What is not counted must not be read.
  const misnamed = heard.body && textNameProblem(heard.body.json)
  if (misnamed !== undefined) {
    x.reply = notJson(misnamed)
    return of(x)
  }
  const prompt = promptIn(heard)
  return prompt ? reserving(x, quota, count(prompt, x.signal), ask) : ask()
}

const reserving = (
  x: Exchange,
  quota: TokenQuota,
  counted: Promise<number>,
  ask: () => Observable<Exchange>,
): Observable<Exchange> => {
  let isAsking = false
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
      // Right here, so that what was asked has told what is known of it before.
      const asking = ask().pipe(finalize(release))
      isAsking = true
      return asking
    }),
    finalize(() => {
      if (!isAsking) release()
    }),
  )
}

/** Of what cannot be understood nothing is counted: whoever is asked will refuse it. */
const promptIn = ({ type, body, place }: ClientRequest): Prompt | undefined => {
  if (!body || !isFormat(type) || type === 'anthropicTokenCount' || type === 'geminiCountTokens')
    return undefined
  try {
    return promptOf(type, body.json, place)
  } catch (problem) {
    if (problem instanceof BadRequest) return undefined
    throw problem
  }
}
