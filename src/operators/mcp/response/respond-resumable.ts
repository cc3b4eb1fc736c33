import { Observable, of } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { INTERNAL_ERROR } from '../../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, Id } from '../../../../protocols/json-rpc/message.ts'
import { answerWith, StreamedAnswer } from './answer.ts'
import { idInKey } from './call-key.ts'
import { KeptBytes } from './kept-bytes.ts'
import type { FromServer } from '../servers/peer.ts'
import { ResumableCall, type ResumableCalls } from './resumable-call.ts'
import type { ResumableTimes } from './resumable-times.ts'

/** Answers a request in a way that can be taken up again. */
export const answerResumably = (
  x: Exchange,
  id: Id,
  calls: ResumableCalls,
  key: string,
  messages: (pausing: ResumableCall['pause']) => Observable<FromServer>,
  times: ResumableTimes,
  kept = new KeptBytes(),
): Observable<Exchange> =>
  new Observable((out) => {
    const answer = new StreamedAnswer(x, out, {})
    const call = new ResumableCall(id, calls, key, answer, times, kept)
    call.run(messages(call.pause))
    return () => {
      answer.stop()
      call.leave(answer)
    }
  })

/**
 * Goes on with an answer. One that is not kept here, or not any more, ends with an error, so that nobody waits for it;
 * undefined if the event id does not even say whose it was.
 */
export const resumeAnswer = (
  x: Exchange,
  lastEventId: string,
  calls: ResumableCalls,
): Observable<Exchange> | undefined => {
  const [key = '', seen = ''] = lastEventId.split('/')
  const call = calls.get(key)
  if (!call || !/^\d{1,9}$/.test(seen) || !call.keepsAfter(Number(seen))) {
    return idInKey(key) === undefined ? undefined : answerIsGone(x, lastEventId)
  }
  return new Observable((out) => {
    const answer = new StreamedAnswer(x, out, {})
    call.resume(Number(seen), answer)
    return () => {
      answer.stop()
      call.leave(answer)
    }
  })
}

/** Tells who comes back for an answer that nobody has it any more. */
export const answerIsGone = (x: Exchange, lastEventId: string): Observable<Exchange> =>
  answerWith(x, idInKey(lastEventId.split('/')[0] ?? '') ?? null, of({ error: gone }))

const gone: ErrorObject = {
  code: INTERNAL_ERROR,
  message: 'the answer is not kept any more, or not by this replica',
}
