import { callTimeoutMs } from '../callout/stage/service-policies.ts'
import { callService } from '../callout/stage/grpc-callout.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'
import { grpcOperators } from '../../config/compile/lazy-grpc.ts'
import { defaults } from '../../config/defaults.ts'
import { milliseconds } from '../../config/normalize/context.ts'
import type { Operator } from '../../pipeline/stage.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import type { InferenceRouting } from './schema.ts'

/** Compiles `inferenceRouting`: the wrapper of the stages that call the upstream. */
export const inferenceRoutingStage = (
  { endpointPicker, failureMode }: InferenceRouting,
  upstream: HttpUpstream,
  context: CompileContext,
): ((inner: Operator) => Operator) => {
  const { inferenceRouting } = grpcOperators.inferenceRouting()
  const options = {
    service: callService(endpointPicker, 'EndpointPicker', context),
    messageTimeoutMs: callTimeoutMs(endpointPicker, context, milliseconds(defaults.extProcMessageTimeout)),
    failsOpen: failureMode === 'failOpen',
    subset: upstream.subset?.bind(upstream),
    bufferLimitBytes: context.resources.frontend.http.maxBufferBytes,
  }
  return (inner) => inferenceRouting(options, inner)
}
