import { keepCompiledCode } from './compile-cache.ts'
import { nameSourcesInStacks } from './source-stacks.ts'
import { raiseInlineBudgets } from './v8-flags.ts'
import { limitYoungGeneration } from './young-generation.ts'

/** What a process runs: each has a cache of compiled code, which contains what its first start has run. */
export type ProcessUse = 'gateway' | 'controller' | 'agctl' | 'check'

/**
 * Prepares the process of a program. Belongs before everything else is loaded: all of it is compiled differently then.
 */
export const prepareProcess = (use: ProcessUse): void => {
  // Flags are part of the key of the cache.
  if (use === 'gateway') {
    raiseInlineBudgets()
    limitYoungGeneration(process.env)
  }
  keepCompiledCode(use, process.env)
  nameSourcesInStacks()
}

/** What the arguments of `agentgateway` ask for. */
export const useOf = (args: readonly string[]): ProcessUse => {
  if (args[0] === 'controller') return 'controller'
  const endsAtOnce = args.some((argument) => /^(-h|-V|--(help|version|validate-only))$/.test(argument))
  return endsAtOnce ? 'check' : 'gateway'
}
