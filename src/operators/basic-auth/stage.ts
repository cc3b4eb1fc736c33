import type { CompileContext } from '../../config/compile/compile-context.ts'
import { credentialSource } from '../../config/compile/credential-sources.ts'
import { Passwords } from '../../upstream/passwords/passwords.ts'
import type { Phases } from '../phases.ts'
import { basicAuth } from './basic-auth.ts'
import type { BasicAuth } from './schema.ts'

/** Compiles `basicAuth`. */
export const basicAuthStage = (
  { location, ...policy }: BasicAuth,
  context: CompileContext,
): Pick<Phases, 'request'> => {
  // One per process: all password checks share the threads and the cache.
  const passwords = context.session.keep(
    'passwords',
    () => new Passwords(undefined, () => context.evicted('passwords')),
  )
  return {
    request: basicAuth({
      ...policy,
      source: credentialSource(location, context),
      bufferLimitBytes: context.resources.frontend.http.maxBufferBytes,
      verify: (claim) => passwords.verify(claim),
    }),
  }
}
