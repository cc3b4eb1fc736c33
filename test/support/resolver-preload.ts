/**
 * Runs in a daemon before it does: the system's resolver reads responses from a file. See `resolver-names.ts`.
 *
 * @module
 */
import dns from 'node:dns'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

type Told = (error: NodeJS.ErrnoException | null, found?: dns.LookupAddress[]) => void

const { lookup: ofSystem } = dns

const lookup = (host: string, options: dns.LookupAllOptions, told: Told): void => {
  if (isIP(host)) {
    ofSystem(host, options, told)
    return
  }
  const names = JSON.parse(readFileSync(process.env.TEST_NAMES ?? '', 'utf8')) as Record<string, string[]>
  const { family = 0 } = options
  const found = (names[host] ?? [])
    .map((address) => ({ address, family: isIP(address) }))
    .filter((one) => family === 0 || one.family === family)
  setImmediate(() => {
    if (found.length) told(null, found)
    else told(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }))
  })
}

Object.assign(dns, { lookup })
syncBuiltinESMExports()
