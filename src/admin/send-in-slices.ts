import { drained } from './server/await-drain.ts'
import type { AdminCall } from './endpoint.ts'
import { nextTurn } from '../model/event-loop/next-turn.ts'
import { inSlices } from '../model/event-loop/time-slicing.ts'

/**
 * Replies with a text that is made and written in slices, at the pace of its reader. A HEAD request gets no body.
 *
 * @param parts Text to be joined into pieces, or a list of pieces that are written one in each turn of the event loop.
 */
export const sendInSlices = async (
  { req, res }: AdminCall,
  contentType: string,
  parts: Iterable<string> | readonly Buffer[],
): Promise<void> => {
  res.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' })
  if (req.method === 'HEAD') return void res.end()
  for await (const piece of isMade(parts) ? inTurns(parts) : inSlices(parts)) {
    if (res.destroyed) return
    if (!res.write(piece)) await drained(res)
  }
  res.end('\n')
}

const isMade = (parts: Iterable<string> | readonly Buffer[]): parts is readonly Buffer[] =>
  Array.isArray(parts) && Buffer.isBuffer(parts[0])

async function* inTurns(pieces: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    await nextTurn()
    yield piece
  }
}
