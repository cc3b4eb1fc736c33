import { Redaction } from '../../model/trace/redact.ts'
import { drained } from '../await-drain.ts'
import type { AdminCall, AdminEndpoint } from '../endpoint.ts'
import { jsonParts } from '../json-chunks.ts'
import { inSlices } from '../time-slicing.ts'
import { nextTurn } from '../next-turn.ts'

/**
 * `GET /config_dump`: the configuration in force, as JSON, without its secrets. Written in slices, because a large one
 * would block traffic for too long.
 *
 * @param dump The data to print: plain and immutable.
 */
export const configDumpEndpoint = (dump: () => unknown, redaction = new Redaction()): AdminEndpoint => ({
  path: '/config_dump',
  methods: ['GET', 'HEAD'],
  summary: 'the configuration in force, as JSON, without its secrets',
  handle: async (call) => {
    await nextTurn()
    if (!call.res.destroyed) await sendDump(call, dump(), redaction)
  },
})

const sendDump = async ({ req, res }: AdminCall, value: unknown, redaction: Redaction): Promise<void> => {
  res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  if (req.method === 'HEAD') return void res.end()
  for await (const text of inSlices(jsonParts(value, redaction))) {
    if (res.destroyed) return
    if (!res.write(text)) await drained(res)
  }
  res.end('\n')
}
