import type { HeaderModifier } from '../../model/policies.ts'
import type { PolicyBackend } from '../../model/policy-backend.ts'
import { Fault } from '../../model/fault.ts'
import { isEditable } from '../../operators/editable-field.ts'
import type { GrpcService } from '../../upstream/grpc.ts'
import { mergeBackendPolicies } from '../merge-policies.ts'
import { ownPolicies } from './backend.ts'
import type { Workshop } from './workshop.ts'

/** Makes the way to call the gRPC service of a policy, with the policies that hold for it. */
export const callService = ({ backend, policies }: PolicyBackend, workshop: Workshop): GrpcService => {
  const merged = mergeBackendPolicies(
    backend.kind === 'host' ? {} : ownPolicies(backend, workshop.resources),
    policies,
  )
  const service = workshop.session.grpc(backend, merged) ?? nobody
  return merged.requestHeaderModifier ? withMetadata(service, merged.requestHeaderModifier) : service
}

/** What headers are to HTTP, metadata is to gRPC. There is nothing to be removed: we send none of our own. */
const withMetadata = (service: GrpcService, { add, set }: HeaderModifier): GrpcService => {
  const metadata = [...add, ...set].filter(([name]) => isEditable(name) && !name.startsWith('grpc-'))
  return {
    unary: (method, message, options) =>
      service.unary(method, message, { ...options, metadata: [...metadata, ...(options.metadata ?? [])] }),
    stream: (method, events, options) =>
      service.stream(method, events, { ...options, metadata: [...metadata, ...(options.metadata ?? [])] }),
    whenReached: (then) => service.whenReached(then),
  }
}

const missing = (): Fault => new Fault('backend_missing', 'backend does not exist', { status: 500 })

const nobody: GrpcService = {
  unary: () => Promise.reject(missing()),
  stream: () => {
    throw missing()
  },
  whenReached: () => () => undefined,
}
