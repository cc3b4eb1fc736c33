import { Fault } from '../../model/exchange/fault.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import type { LlmError } from '../../protocols/llm/errors/error.ts'
import type { Format } from '../../protocols/llm/format.ts'

/** The part of a fault that a client may see. */
export const faultError = (fault: unknown): LlmError =>
  fault instanceof Fault
    ? { status: fault.status, message: fault.message, code: fault.code }
    : { status: 500, message: 'internal error', code: 'internal' }

/** The refusal of a request because of an error of the client. */
export const refuseRequest = (status: number, code: string, message: string): Reply =>
  deny(status, code, { message, reason: 'InvalidRequest' })

/** The refusal of a request for a model that does not exist, or that the caller must not discover. */
export const modelNotFound = (model: string): Reply =>
  deny(404, 'model_not_found', {
    message: `Model not found: ${model.slice(0, LONGEST_NAME)}. GET /v1/models lists the models`,
    reason: 'NotFound',
  })

/** Limit of the repeated name: clients may send anything. */
const LONGEST_NAME = 128

/** The refusal of a request that cannot be converted for the provider. */
export const requestFailed = (code: string, problem: string, status = 400): Reply =>
  refuseRequest(status, code, `failed to process LLM request: ${problem}`)

/** The refusal of a request in a format that the provider does not support and that cannot be converted. */
export const unsupportedConversion = (
  from: Format,
  { telemetryName }: { readonly telemetryName: string },
  formats: readonly Format[],
): Reply =>
  requestFailed(
    'unsupported_conversion',
    `unsupported conversion: from ${from} to provider ${telemetryName} (supported: [${formats.join(', ')}])`,
  )

/** The reply in place of a provider's response that cannot be converted for the client. */
export const replyFailed = (code: string, problem: string, status = 502): Reply =>
  deny(status, code, { message: `failed to process LLM response: ${problem}`, reason: 'UpstreamFailure' })
