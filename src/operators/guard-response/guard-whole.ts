import { BufferBody } from '../../model/body.ts'
import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import type { JsonObject } from '../../protocols/json/json-object.ts'
import { readJsonObject } from '../../protocols/json/read-json.ts'
import { repeatsNames } from '../../protocols/json/repeats-names.ts'
import type { TextSlot } from '../../protocols/llm/texts/text-slot.ts'
import { replyFailed } from '../backend/llm/llm-refusal.ts'
import { readReply } from '../backend/llm/read-reply.ts'
import type { Guards } from '../guard/guards.ts'
import { guardFailed, rejected } from '../guard/rejected.ts'
import { runGuards } from '../guard/run-guards.ts'

/**
 * Shows the guards of a model what it said, before the client sees any of it. An answer that nobody masked keeps its
 * bytes.
 *
 * @param textsOf Finds what it says.
 * @param kept What each guard kept of the request.
 * @param limitBytes Longest answer.
 */
export const guardWhole = async (
  x: Exchange,
  reply: Reply,
  textsOf: (body: JsonObject) => readonly TextSlot[],
  { response: guards, settle }: Guards,
  kept: readonly unknown[],
  limitBytes: number,
): Promise<Reply> => {
  const bytes = await readReply(x, reply, limitBytes)
  if (!Buffer.isBuffer(bytes)) return bytes
  const written = bytes.toString('utf8')
  const json = repeatsNames(written) ? undefined : readJsonObject(written)
  if (!json) return replyFailed('invalid_reply', 'failed to parse response')
  const guarded = await runGuards(textsOf(json), {
    x,
    phase: 'response',
    guards,
    kept,
    reply,
    settle,
  })
  if (guarded === 'failed') return guardFailed('response')
  if (guarded !== 'masked' && guarded !== 'unchanged') return rejected(guarded)
  const left = guarded === 'masked' ? Buffer.from(JSON.stringify(json)) : bytes
  reply.body = new BufferBody(left)
  reply.headers.delete('content-encoding')
  reply.headers.set('content-length', String(left.length))
  return reply
}
