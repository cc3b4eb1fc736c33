import { deny, type Reply } from '../../../model/reply.ts'
import type { Format } from '../../../protocols/llm/format.ts'

/** The refusal of a request to a language model that is the client's own doing. */
export const refuseRequest = (status: number, code: string, message: string): Reply =>
  deny(status, code, { message, reason: 'InvalidRequest' })

/** The refusal of a request that could not be made into one for the provider. */
export const requestFailed = (code: string, problem: string, status = 400): Reply =>
  refuseRequest(status, code, `failed to process LLM request: ${problem}`)

/** The refusal of a request that is in no format that the provider understands, nor in one that can become one. */
export const unsupportedConversion = (
  from: Format,
  { telemetryName }: { readonly telemetryName: string },
  formats: readonly Format[],
): Reply =>
  requestFailed(
    'unsupported_conversion',
    `unsupported conversion: from ${from} to provider ${telemetryName} (supported: [${formats.join(', ')}])`,
  )

/** The answer in place of a provider's that could not be made into one for the client. */
export const replyFailed = (code: string, problem: string, status = 502): Reply =>
  deny(status, code, { message: `failed to process LLM response: ${problem}`, reason: 'UpstreamFailure' })
