import type { Exchange } from '../../../model/exchange.ts'
import type { LlmRouteType } from '../../../model/llm.ts'
import { BufferBody } from '../../../model/body.ts'
import type { Reply } from '../../../model/reply.ts'
import type { RequestPlace } from '../../../protocols/llm/chat/codec.ts'
import { isHeld, putHeld } from '../../body/hold.ts'
import { readAhead } from '../../body/read-ahead.ts'
import { decodeRequest } from './content-encoding.ts'
import type { Hearing } from './hear.ts'
import { tooLarge } from './hear-body.ts'
import type { Heard } from './heard.ts'
import { isForm, isJsonLike, peekedIn, type Said, saidIn } from './model-said.ts'
import { OneModelBody } from './one-model-body.ts'

/**
 * Looks at a request that goes to its provider as it came. As much of its body is read as fits into the limit, to find the
 * model there; what is longer goes on from there, and is never held.
 *
 * Where the model decides who gets it, what could be read in two ways is refused: fields that come twice, and JSON that is
 * too long to be looked through.
 */
export const hearOpaque = (
  x: Exchange,
  type: LlmRouteType,
  place: RequestPlace,
  { limitBytes, byModel }: Hearing,
): Heard | Reply | Promise<Heard | Reply> => {
  const { request } = x
  const { path, query, body, headers } = request
  const inQuery = new URLSearchParams(query).get('model') ?? undefined
  const model = place.model ?? (type === 'realtime' ? inQuery : undefined)
  const streaming = place.streaming ?? false
  const heard = (said: Said | undefined): Heard => {
    const facts = { model: model ?? said?.model, streaming: streaming || (said?.streaming ?? false) }
    return { type, place: { model, streaming: place.streaming }, body: undefined, facts, path, query }
  }
  // Of what passes unseen not even the beginning is wanted, unless it decides where it goes.
  if (model !== undefined || (type === 'passthrough' && !byModel)) return heard(undefined)
  const contentType = headers.get('content-type') ?? ''
  const looked = (): Heard | Reply => {
    const bytes = request.body instanceof BufferBody ? request.body.bytes : empty
    const said = byModel ? saidIn(bytes, contentType) : peekedIn(bytes, contentType)
    return 'status' in said ? said : heard(said)
  }
  const whole = (): Heard | Reply | Promise<Heard | Reply> => {
    const decoding = byModel ? decodeRequest(request, limitBytes) : undefined
    return decoding ? decoding.then((refusal) => refusal ?? looked()) : looked()
  }
  if (isHeld(body)) return whole()
  return readAhead(body, limitBytes).then((ahead) => {
    if ('whole' in ahead) {
      putHeld(request, ahead.whole)
      return whole()
    }
    const beginning = ahead.longer.beginning()
    request.body = ahead.longer
    if (!byModel) return heard(peekedIn(beginning, contentType))
    if (headers.has('content-encoding') || isJsonLike(beginning, contentType)) return tooLarge(limitBytes)
    if (isForm(contentType)) request.body = new OneModelBody(ahead.longer, contentType)
    const said = saidIn(beginning, contentType)
    return 'status' in said ? said : heard(said)
  })
}

const empty = Buffer.alloc(0)
