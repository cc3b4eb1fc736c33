import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * Keeps the young generation of V8's heap at a quarter of V8's own limit. It is a soft limit: a turn of the event loop
 * that allocates much may exceed it.
 *
 * @param env The variables of the process. `AGENTGATEWAY_MAX_SEMI_SPACE_SIZE` is what Node's flag `--max-semi-space-size`
 *   is; V8 decides if it is `0`, or if Node has a flag for it. That flag cannot be set by a running program.
 */
export const limitYoungGeneration = (
  env: NodeJS.ProcessEnv,
  nodeArgs: readonly string[] = process.execArgv,
): void => {
  const limitMb = limitOf(env.AGENTGATEWAY_MAX_SEMI_SPACE_SIZE)
  const flags = [env.NODE_OPTIONS ?? '', ...nodeArgs].join(' ')
  if (limitMb === 0 || /-semi[-_]space/.test(flags)) return
  let grows = true
  const follow = (): void => {
    const may = !isAtLeast(limitMb)
    if (may === grows) return
    grows = may
    // V8 grows it by this factor when as much has survived as fits in. V8 also shrinks it, when the program is idle.
    setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`)
  }
  follow()
  new PerformanceObserver(follow).observe({ entryTypes: ['gc'] })
}

/** Measured: a quarter of V8's own limit costs no CPU time. */
const DEFAULT_MB = 4

const limitOf = (text = ''): number => (/^\d{1,4}$/.test(text) ? Number(text) : DEFAULT_MB)

/** It consists of two halves. */
const isAtLeast = (halfMb: number): boolean => {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return space === undefined || space.space_size >= 2 * halfMb * 2 ** 20
}
