import { BufferBody } from '../../../../model/exchange/body.ts'
import type { Exchange } from '../../../../model/exchange/exchange.ts'
import type { Reply } from '../../../../model/exchange/reply.ts'
import type { JsonObject } from '../../../../protocols/json/json-object.ts'
import { readJsonObject } from '../../../../protocols/json/read-json.ts'
import { repeatsNames } from '../../../../protocols/json/duplicate-keys.ts'
import { textNameProblem } from '../../../../protocols/llm/members/read-members.ts'
import type { TextSlot } from '../../../../protocols/llm/texts/text-slot.ts'
import { replyFailed } from '../../refusals.ts'
import { readReply } from '../../reply/read-reply.ts'
import type { Guards } from '../guard.ts'
import { guardFailed, rejected, uncheckedError } from '../rejection.ts'
import { runGuards } from '../run-guards.ts'

/**
 * Checks a complete response before the client gets any of it. A response that no guard masked keeps its bytes. An
 * error that cannot be checked keeps its status, and loses the rest.
 *
 * @param textsOf Extracts the texts.
 * @param kept What each guard saved of the request.
 * @param limitBytes Longest response.
 */
export const guardBuffered = async (
  x: Exchange,
  reply: Reply,
  textsOf: (body: JsonObject) => readonly TextSlot[],
  { response: guards, onGuardEnd }: Guards,
  kept: readonly unknown[],
  limitBytes: number,
): Promise<Reply> => {
  const bytes = await readReply(x, reply, limitBytes)
  const isError = reply.status >= 400
  if (!Buffer.isBuffer(bytes)) return isError ? uncheckedError(reply) : bytes
  const written = bytes.toString('utf8')
  const json = repeatsNames(written) ? undefined : readJsonObject(written)
  // Clients might read what the guards did not check.
  if (!json || textNameProblem(json) !== undefined)
    return isError ? uncheckedError(reply) : replyFailed('invalid_reply', 'failed to parse response')
  const guarded = await runGuards(textsOf(json), {
    x,
    phase: 'response',
    guards,
    kept,
    reply,
    onGuardEnd,
  })
  if (guarded === 'failed') return isError ? uncheckedError(reply) : guardFailed('response')
  if (guarded !== 'masked' && guarded !== 'unchanged') return rejected(guarded)
  const left = guarded === 'masked' ? Buffer.from(JSON.stringify(json)) : bytes
  reply.body = new BufferBody(left)
  reply.headers.delete('content-encoding')
  reply.headers.set('content-length', String(left.length))
  return reply
}
