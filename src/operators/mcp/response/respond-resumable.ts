import { Observable, of } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { INTERNAL_ERROR } from '../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, Id } from '../../../protocols/json-rpc/message.ts'
import { respondWith, StreamedResponse } from './respond.ts'
import { idInKey } from './event-id.ts'
import { ReplayBudget } from './event-store.ts'
import type { FromServer } from '../servers/server-client.ts'
import { ResumableCall, type ResumableCalls } from './resumable-call.ts'
import type { ResumableTiming } from './resumable-timing.ts'

/** Replies to a request with a response that can be resumed. */
export const respondResumable = (
  x: Exchange,
  id: Id,
  calls: ResumableCalls,
  key: string,
  messages: (pausing: ResumableCall['pause']) => Observable<FromServer>,
  timing: ResumableTiming,
  kept = new ReplayBudget(),
): Observable<Exchange> =>
  new Observable((out) => {
    const response = new StreamedResponse(x, out, { inSession: true })
    const call = new ResumableCall(id, calls, key, response, timing, kept)
    call.run(messages(call.pause))
    return () => {
      response.stop()
      call.onDisconnect(response)
    }
  })

/**
 * Resumes a response. One that is not kept here, or no longer, ends with an error, so that the client does not wait;
 * undefined if the event id does not name its request.
 */
export const resumeResponse = (
  x: Exchange,
  lastEventId: string,
  calls: ResumableCalls,
): Observable<Exchange> | undefined => {
  const [key = '', seen = ''] = lastEventId.split('/')
  const call = calls.get(key)
  if (!call || !/^\d{1,9}$/.test(seen) || !call.keepsAfter(Number(seen))) {
    return idInKey(key) === undefined ? undefined : responseIsGone(x, lastEventId)
  }
  return new Observable((out) => {
    const response = new StreamedResponse(x, out, { inSession: true })
    call.resume(Number(seen), response)
    return () => {
      response.stop()
      call.onDisconnect(response)
    }
  })
}

/** The error for a client that resumes a response which is gone. */
export const responseIsGone = (x: Exchange, lastEventId: string): Observable<Exchange> =>
  respondWith(x, idInKey(lastEventId.split('/')[0] ?? '') ?? null, of({ error: gone }))

const gone: ErrorObject = {
  code: INTERNAL_ERROR,
  message: 'the answer is not kept any more, or not by this replica',
}
