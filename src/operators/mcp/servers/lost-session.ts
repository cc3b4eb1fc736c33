import type { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import { jsonRpcErrorIn } from '../response/json-rpc-error.ts'

/**
 * Whether a server refuses a session id as unknown. The specification requires 404; servers based on its examples send
 * 400 with a text, for instance after a restart.
 */
export const refusesSession = (refused: ServerRefused): boolean => {
  if (refused.status === 404) return true
  if (refused.status !== 400) return false
  const text = jsonRpcErrorIn(refused)?.message ?? refused.body.subarray(0, LOOKED_AT_BYTES).toString()
  return neverBegun.test(text) || (/session/i.test(text) && notKnown.test(text))
}

/** `Bad Request: Server not initialized`. */
const neverBegun = /\bnot (?:yet )?initiali[sz]ed\b/i

/** `No valid session ID provided`, `Invalid or missing session ID`, `Session not found`. */
const notKnown =
  /\bno valid\b|\binvalid\b|\bunknown\b|\bmissing\b|\bexpired\b|\bnot found\b|\bdoes not exist\b|\bterminated\b/i

const LOOKED_AT_BYTES = 1_024
