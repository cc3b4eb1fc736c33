import type { Context } from '../../config/normalize/context.ts'
import { policyBackend } from '../../config/normalize/policy-backend.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import type { InferenceRouting } from './schema.ts'

/** `inferenceRouting`. */
export const normalizeInferenceRouting = (
  { endpointPicker, destinationMode = 'validated', failureMode = 'failClosed' }: File.InferenceRouting,
  context: Context,
): InferenceRouting => ({
  endpointPicker: policyBackend(endpointPicker, context),
  destinationMode,
  failureMode,
})
