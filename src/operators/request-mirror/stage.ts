import type { Mirror } from './schema.ts'
import type { BackendPolicies } from '../../model/resources/policies.ts'
import { editHeaders } from '../headers/header-modifier.ts'
import { requestMirror, type MirroredRequest } from './request-mirror.ts'
import { sequence } from '../../pipeline/sequence.ts'
import type { Phases } from '../phases.ts'
import { ownPolicies } from '../../config/compile/own-policies.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles `requestMirror`, with the policies of the destination. */
export const requestMirrorStage = (
  policies: readonly Mirror[],
  context: CompileContext,
): Pick<Phases, 'request'> => ({
  request: sequence(
    policies.map(({ backend, fraction, backendTLS }) =>
      requestMirror({
        fraction,
        send: sender(backend, backendTLS, context),
        limitBytes: context.resources.frontend.http.maxBufferBytes,
        random: context.random,
      }),
    ),
  ),
})

const sender = (
  backend: Mirror['backend'],
  backendTLS: Mirror['backendTLS'],
  { session, lookup }: CompileContext,
): ((copy: MirroredRequest) => Promise<void>) => {
  const policies: BackendPolicies =
    backend.kind === 'host' ? { ...(backendTLS && { backendTLS }) } : ownPolicies(backend, lookup)
  const send = session.mirror(backend, policies)
  const { requestHeaderModifier } = policies
  if (!requestHeaderModifier) return send
  const edit = editHeaders(requestHeaderModifier)
  return (copy) => {
    edit(copy.headers)
    return send(copy)
  }
}
