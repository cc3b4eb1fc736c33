import type { HeaderModifier } from '../../headers/schema.ts'
import type { PolicyBackend } from '../../../model/policies/policy-backend.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { tracedCalls } from '../callout-span.ts'
import { isMetadataName, sentWith } from '../grpc-metadata.ts'
import { prepareCalls } from '../grpc-policies.ts'
import type { GrpcService } from '../../../upstream/grpc/grpc-client.ts'
import { timedCalls } from '../../../upstream/grpc/timed-service.ts'
import { unreachableService } from '../../../upstream/grpc/unreachable-service.ts'
import { calloutStages } from './callout-policies.ts'
import { servicePolicies } from './service-policies.ts'
import type { PolicyCallKind, CompileContext } from '../../../config/compile/compile-context.ts'
import { listCallouts } from './list-callout.ts'

/** Compiles calls of a policy's gRPC service, with the service's policies. */
export const callService = (
  service: PolicyBackend,
  kind: PolicyCallKind,
  context: CompileContext,
): GrpcService => {
  const policies = servicePolicies(service, context)
  const plain = context.session.grpc(service.backend, policies)
  if (!plain) return unreachableService(missing)
  const traced = context.resources.frontend.tracing ? tracedCalls(plain, kind) : plain
  const calls = timedCalls(
    traced,
    (seconds) => {
      context.called(kind, seconds)
    },
    listCallouts(kind, service.backend),
  )
  const stages = calloutStages(service, policies, context)
  if (stages) return prepareCalls(calls, stages)
  return policies.requestHeaderModifier ? withMetadata(calls, policies.requestHeaderModifier) : calls
}

/** Header changes apply to metadata. Nothing has to be removed: the gateway sends no metadata of its own. */
const withMetadata = (service: GrpcService, { add, set }: HeaderModifier): GrpcService => {
  const metadata = [...add, ...set].filter(([name]) => isMetadataName(name))
  return {
    unary: (method, message, options) => service.unary(method, message, sentWith(options, metadata)),
    stream: (method, events, options) => service.stream(method, events, sentWith(options, metadata)),
    onConnected: (then) => service.onConnected(then),
  }
}

const missing = (): Fault => new Fault('backend_missing', 'backend does not exist', { status: 500 })
