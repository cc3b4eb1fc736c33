import type { CompileContext } from '../../config/compile/compile-context.ts'
import { credentialSource } from '../../config/compile/credential-sources.ts'
import type { Phases } from '../phases.ts'
import { apiKey } from './api-key.ts'
import type { ApiKeys } from './schema.ts'

/** Compiles `apiKey`. */
export const apiKeyStage = (
  { location, ...policy }: ApiKeys,
  context: CompileContext,
): Pick<Phases, 'request'> => ({
  request: apiKey({
    ...policy,
    source: credentialSource(location, context),
    bufferLimitBytes: context.resources.frontend.http.maxBufferBytes,
  }),
})
