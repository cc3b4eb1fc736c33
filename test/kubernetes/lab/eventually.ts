import { setTimeout as wait } from 'node:timers/promises'

/** Tries until there is a value. What is tried is another program's start, which nothing announces. */
export const eventually = async <T>(
  what: string,
  attempt: () => T | undefined | Promise<T | undefined>,
  timeoutMs = 60_000,
): Promise<T> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const value = await attempt()
    if (value !== undefined) return value
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await wait(INTERVAL_MS)
  }
}

const INTERVAL_MS = 50
