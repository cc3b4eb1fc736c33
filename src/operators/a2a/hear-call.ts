import { A2aFacts } from '../../model/a2a.ts'
import { BufferBody } from '../../model/body.ts'
import type { Exchange } from '../../model/exchange.ts'
import { onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import { a2aCallOf } from '../../protocols/a2a/call.ts'
import { putHeld } from '../body/hold.ts'
import { readAhead } from '../body/read-ahead.ts'
import { applied } from '../policy-note.ts'
import { A2aTongue } from './a2a-tongue.ts'

/** As much of a message as is looked at. Method and id stand at the beginning, what may be large behind them. */
export const LOOK_BYTES = 65_536

/**
 * Finds out what an agent is asked: method and id of a JSON-RPC request. From then on, errors of the gateway's own are
 * told as JSON-RPC has it. The request stays as it is; at most its first 64 KiB are waited for.
 *
 * Belongs before everything that may refuse a request. A second one has nothing to do.
 */
export const hearCall = (): Operator => onRequest('hear-call', hear)

/** The verdict of {@link hearCall}, for stages that do more. */
export const hear = (x: Exchange): Verdict | Promise<Verdict> => {
  if (x.a2a) return undefined
  const { request } = x
  const { body, headers } = request
  if (request.method !== 'POST' || headers.has('content-encoding') || !isJson(headers.get('content-type'))) {
    x.a2a = new A2aFacts(undefined)
    return undefined
  }
  if (body instanceof BufferBody) {
    understand(x, body.bytes)
    return undefined
  }
  return readAhead(body, LOOK_BYTES).then((ahead) => {
    if ('whole' in ahead) {
      putHeld(request, ahead.whole)
      understand(x, ahead.whole.bytes)
    } else {
      request.body = ahead.longer
      understand(x, ahead.longer.beginning())
    }
    return undefined
  })
}

const understand = (x: Exchange, bytes: Buffer): void => {
  const call = a2aCallOf(bytes.toString('utf8', 0, LOOK_BYTES))
  const facts = new A2aFacts(call?.method)
  x.a2a = facts
  if (!call) return
  x.tongue = new A2aTongue(facts, call.id)
  x.probe?.note(applied('a2a', `heard a call of ${call.method}`))
}

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || contentType.toLowerCase().includes('json')
