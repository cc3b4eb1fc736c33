import type { Exchange } from '../../../model/exchange.ts'
import type { LlmRouteType } from '../../../model/llm.ts'
import type { Reply } from '../../../model/reply.ts'
import { jsonPeek } from '../../../protocols/json/peek-json.ts'
import type { RequestPlace } from '../../../protocols/llm/chat/codec.ts'
import { BufferBody } from '../../../model/body.ts'
import { isHeld } from '../../body/hold.ts'
import { putHeld } from '../../body/hold.ts'
import { readAhead } from '../../body/read-ahead.ts'
import type { Hearing } from './hear.ts'
import type { Heard } from './heard.ts'
import { modelField } from './multipart-model.ts'

/**
 * Looks at a request that goes to its provider as it came. As much of its body is read as fits into the limit, to find the
 * model there; what is longer goes on from there, and is never held.
 */
export const hearOpaque = (
  x: Exchange,
  type: LlmRouteType,
  place: RequestPlace,
  { limitBytes, byModel }: Hearing,
): Heard | Reply | Promise<Heard | Reply> => {
  const { request } = x
  const { path, query, body } = request
  const inQuery = new URLSearchParams(query).get('model') ?? undefined
  const model = place.model ?? (type === 'realtime' ? inQuery : undefined)
  const streaming = place.streaming ?? false
  const heard = (beginning: Buffer | undefined): Heard => {
    const said = beginning && saidIn(beginning, request.headers.get('content-type') ?? '')
    const facts = { model: model ?? said?.model, streaming: streaming || (said?.streaming ?? false) }
    return { type, place: { model, streaming: place.streaming }, body: undefined, facts, path, query }
  }
  // Of what passes unseen not even the beginning is wanted, unless it decides where it goes.
  if (model !== undefined || (type === 'passthrough' && !byModel)) return heard(undefined)
  if (isHeld(body)) return heard(body instanceof BufferBody ? body.bytes : undefined)
  return readAhead(body, limitBytes).then((ahead) => {
    if ('whole' in ahead) {
      putHeld(request, ahead.whole)
      return heard(ahead.whole.bytes)
    }
    const beginning = ahead.longer.beginning()
    request.body = ahead.longer
    return heard(beginning)
  })
}

interface Said {
  readonly model: string | undefined
  readonly streaming: boolean
}

const saidIn = (beginning: Buffer, type: string): Said | undefined => {
  if (type.startsWith('multipart/form-data')) return { model: modelField(beginning, type), streaming: false }
  if (!type.includes('json')) return undefined
  const found = peek(beginning.toString('utf8'))
  const model = found.get('model')
  return {
    model: model?.startsWith('"') ? textOf(model) : undefined,
    streaming: found.get('stream') === 'true',
  }
}

const peek = jsonPeek(['model', 'stream'])

const textOf = (literal: string): string | undefined => {
  try {
    return String(JSON.parse(literal))
  } catch {
    return undefined
  }
}
