import type { Mirror } from '../../model/policies.ts'
import { editHeaders } from '../../operators/edit-headers.ts'
import { mirror, type RequestHead } from '../../operators/mirror.ts'
import { sequence } from '../../pipeline/sequence.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { ownPolicies } from './backend.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stage that sends copies elsewhere, with the policies that hold for whatever is there. */
export const mirrorStage = (policies: readonly Mirror[], workshop: Workshop): Operator =>
  sequence(
    policies.map(({ backend, fraction }) =>
      mirror({ fraction, send: sender(backend, workshop), random: workshop.random }),
    ),
  )

const sender = (
  backend: Mirror['backend'],
  { session, resources }: Workshop,
): ((copy: RequestHead) => Promise<void>) => {
  const policies = backend.kind === 'host' ? {} : ownPolicies(backend, resources)
  const send = session.mirror(backend, policies)
  const { requestHeaderModifier } = policies
  if (!requestHeaderModifier) return send
  const edit = editHeaders(requestHeaderModifier)
  return (copy) => {
    edit(copy.headers)
    return send(copy)
  }
}
