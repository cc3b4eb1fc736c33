import type { A2a } from '../../model/exchange/a2a-attributes.ts'
import { a2a } from './a2a.ts'
import type { Phases } from '../phases.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Makes the stages in front of an A2A agent. */
export const a2aStages = (_policy: A2a, { resources }: CompileContext): Phases => {
  const { forwarded, maxBufferBytes } = resources.frontend.http
  return a2a({
    bufferLimitBytes: maxBufferBytes,
    forwarded: forwarded !== undefined,
    proxied: (forwarded?.trustedHops ?? 0) > 0,
  })
}
