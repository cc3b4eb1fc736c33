import { readFileSync } from 'node:fs'

/** Whether the kernel exposes its connections, as Linux does. */
export const knowsTimers = process.platform === 'linux'

/**
 * The keep-alive timers of the connections to a port of 127.0.0.1, at the side that opened them: milliseconds until
 * the next probe, undefined for a connection without probes.
 */
export const keepaliveTimers = (port: number): readonly (number | undefined)[] =>
  readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote === `0100007F:${hex(port)}` && state === ESTABLISHED)
    .map(([, , , , , timer = '']) => {
      const [kind, left = ''] = timer.split(':')
      return kind === KEEPALIVE ? Number.parseInt(left, 16) * TICK_MS : undefined
    })

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')

const ESTABLISHED = '01'
const KEEPALIVE = '02'
const TICK_MS = 10
