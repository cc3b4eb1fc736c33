import { Redaction } from '../../model/trace/redact.ts'
import type { AdminEndpoint } from '../endpoint.ts'
import { jsonParts } from '../json-chunks.ts'
import { sendInSlices } from '../send-in-slices.ts'
import { nextTurn } from '../../model/event-loop/next-turn.ts'

/**
 * `GET /config_dump`: the configuration in force, as JSON, without its secrets. Written in slices, because a large one
 * would block traffic for too long.
 *
 * @param dump The data to print: plain and immutable.
 */
export const configDumpEndpoint = (dump: () => unknown, redaction = new Redaction()): AdminEndpoint => ({
  path: '/config_dump',
  methods: ['GET', 'HEAD'],
  summary: 'the configuration in force with the health of its endpoints, as JSON, without its secrets',
  group: 'configuration',
  handle: async (call) => {
    await nextTurn()
    const value = await dump()
    if (!call.res.destroyed) await sendInSlices(call, 'application/json', jsonParts(value, redaction))
  },
})
