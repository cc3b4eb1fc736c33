import { once } from 'node:events'
import { Redaction } from '../../model/redact.ts'
import type { Endpoint } from '../endpoint.ts'
import { jsonParts } from '../json-parts.ts'
import { inSlices } from '../slices.ts'

/**
 * `GET /config_dump`: the configuration in force, as JSON, without its secrets. Written in slices, because a large one
 * takes longer than traffic should wait.
 *
 * @param dump What to print: plain data that does not change.
 */
export const configDumpEndpoint = (dump: () => unknown, redaction = new Redaction()): Endpoint => ({
  path: '/config_dump',
  methods: ['GET', 'HEAD'],
  summary: 'the configuration in force, as JSON, without its secrets',
  handle: async ({ req, res }) => {
    const value = dump()
    res.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    if (req.method === 'HEAD') return void res.end()
    for await (const text of inSlices(jsonParts(value, redaction))) {
      if (res.destroyed) return
      if (!res.write(text)) await Promise.race([once(res, 'drain'), once(res, 'close')])
    }
    res.end('\n')
  },
})
