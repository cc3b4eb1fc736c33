import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, JsonObject, Outcome } from '../../../protocols/json-rpc/message.ts'
import { jsonObjectOr } from '../../../protocols/json/json-object.ts'
import { missingClientCapability, RESOURCE_NOT_FOUND } from '../../../protocols/mcp/errors.ts'
import {
  capabilityNeeded,
  type InputRequest,
  missingCapability,
} from '../../../protocols/mcp/input-required.ts'

/**
 * Requests of a server during one call that need a capability the client has not declared. The server gets an error at
 * once and may go on without: the request need not belong to this call, since programs do not report which call caused
 * it. Only a call that fails afterwards needed it.
 */
export class UndeclaredCapabilities {
  readonly #declared: JsonObject
  readonly #missed: Record<string, JsonObject> = {}

  /** @param declared Capabilities of the client. */
  constructor(declared: JsonObject) {
    this.#declared = declared
  }

  /** The error for the server; undefined for a request that the client can handle. */
  refusalOf({ method, params }: InputRequest): ErrorObject | undefined {
    const needed = capabilityNeeded(method, params)
    const missing = needed && missingCapability(this.#declared, needed)
    if (needed && !missing) return undefined
    // Several details of one capability may be missing, one after the other.
    for (const [name, details] of Object.entries(missing ?? {}))
      this.#missed[name] = { ...this.#missed[name], ...jsonObjectOr(details) }
    return { code: METHOD_NOT_FOUND, message: `the client cannot be asked for ${method}` }
  }

  /** The outcome for the client: it names the missing capabilities if the call failed for want of them. */
  outcomeOf(outcome: Outcome): Outcome {
    if (!mayBeInNeed(outcome) || Object.keys(this.#missed).length === 0) return outcome
    return { error: missingClientCapability(this.#missed).error }
  }
}

/** A malformed request would fail with any capabilities. */
const mayBeInNeed = (outcome: Outcome): boolean =>
  'error' in outcome
    ? outcome.error.code !== INVALID_PARAMS && outcome.error.code !== RESOURCE_NOT_FOUND
    : outcome.result.isError === true
