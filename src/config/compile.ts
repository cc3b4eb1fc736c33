import { defaultSensitiveHeaders } from '../cel/headers-view.ts'
import type { Resources } from '../model/resources.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { compileBind } from './compile/bind.ts'
import { expressions } from './compile/expression.ts'
import type { Workshop } from './compile/workshop.ts'
import { mergePolicies } from './merge-policies.ts'

/** What is to be compiled. */
export interface Compilable {
  readonly resources: Resources
  readonly hash: string
}

/** What compiling takes from the rest of the process. */
export interface CompileTools extends Pick<Workshop, 'upstream' | 'mirror' | 'rescuer'> {
  /** Names of headers that carry credentials, beyond the usual ones. */
  readonly sensitiveHeaders?: readonly string[]
  /** 0 ≤ number < 1; chance without it. */
  readonly random?: () => number
}

/**
 * Makes a snapshot of resources: every expression parsed, every matcher indexed, every policy an operator. What is done
 * here is not done per request.
 *
 * @throws CelError for an expression that does not parse; resources that came from a checked file have none.
 */
export const compile = ({ resources, hash }: Compilable, tools: CompileTools): Snapshot => {
  const merged = mergePolicies(resources)
  const named = (tools.sensitiveHeaders ?? []).map((name) => name.toLowerCase())
  const workshop: Workshop = {
    ...tools,
    random: tools.random ?? Math.random,
    expression: expressions({ sensitiveHeaders: new Set([...defaultSensitiveHeaders, ...named]) }),
  }
  return {
    hash,
    resources: merged,
    binds: new Map(merged.binds.map((bind) => [bind.key, compileBind(bind, merged, workshop)])),
    exchanges: 0,
  }
}
