import { INVALID_REQUEST } from '../../../protocols/json-rpc/error-codes.ts'
import { McpRefusal } from '../response/json-rpc-error.ts'

/** A batch came, which the session's revision does not have. */
export const noBatches = (revision: string): McpRefusal => refusal(`revision ${revision} has no batches`)

/** A second `initialize`. */
export const alreadyInitialized = (): McpRefusal => refusal('the session has begun already')

/** Responses could not be distinguished. */
export const duplicateId = (): McpRefusal =>
  refusal('a request with this id is under way', 'mcp_duplicate_id')

const refusal = (message: string, code = 'mcp_refused'): McpRefusal =>
  new McpRefusal(code, { status: 400, error: { code: INVALID_REQUEST, message } })
