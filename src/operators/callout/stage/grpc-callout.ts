import type { HeaderModifier } from '../../model/policies.ts'
import type { PolicyBackend } from '../../model/policy-backend.ts'
import { Fault } from '../../model/fault.ts'
import { isMetadataName, sentWith } from '../../operators/service/call-metadata.ts'
import { prepareCalls } from '../../operators/service/prepare-calls.ts'
import type { GrpcService } from '../../upstream/grpc.ts'
import { timedCalls } from '../../upstream/timed-calls.ts'
import { questionStages, servicePolicies } from './question-stages.ts'
import type { PolicyCallKind, Workshop } from './workshop.ts'

/** Makes the way to call the gRPC service of a policy, with the policies that hold for it. */
export const callService = (
  service: PolicyBackend,
  kind: PolicyCallKind,
  workshop: Workshop,
): GrpcService => {
  const policies = servicePolicies(service, workshop)
  const plain = workshop.session.grpc(service.backend, policies)
  if (!plain) return nobody
  const calls = timedCalls(plain, (seconds) => {
    workshop.called(kind, seconds)
  })
  const stages = questionStages(service, policies, workshop)
  if (stages) return prepareCalls(calls, stages)
  return policies.requestHeaderModifier ? withMetadata(calls, policies.requestHeaderModifier) : calls
}

/** What headers are to HTTP, metadata is to gRPC. There is nothing to be removed: we send none of our own. */
const withMetadata = (service: GrpcService, { add, set }: HeaderModifier): GrpcService => {
  const metadata = [...add, ...set].filter(([name]) => isMetadataName(name))
  return {
    unary: (method, message, options) => service.unary(method, message, sentWith(options, metadata)),
    stream: (method, events, options) => service.stream(method, events, sentWith(options, metadata)),
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
