import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, JsonObject, Outcome } from '../../../../protocols/json-rpc/message.ts'
import { jsonObjectOr } from '../../../../protocols/json/json-object.ts'
import { missingClientCapability, RESOURCE_NOT_FOUND } from '../../../../protocols/mcp/errors.ts'
import {
  capabilityNeeded,
  type InputRequest,
  missingCapability,
} from '../../../../protocols/mcp/input-required.ts'

/**
 * What a server asks during one call although the client has not declared that it can answer. The server hears so at once
 * and may do without: it need not have asked because of this call, and programs cannot say for which call they ask. Only a
 * call that fails after that was in need of it.
 */
export class Undeclared {
  readonly #declared: JsonObject
  readonly #missed: Record<string, JsonObject> = {}

  /** @param declared What the client can be asked for. */
  constructor(declared: JsonObject) {
    this.#declared = declared
  }

  /** What the server is told; undefined for a question that the client can be asked. */
  refusalOf({ method, params }: InputRequest): ErrorObject | undefined {
    const needed = capabilityNeeded(method, params)
    const missing = needed && missingCapability(this.#declared, needed)
    if (needed && !missing) return undefined
    // One capability may be missed in several ways, one after the other.
    for (const [name, details] of Object.entries(missing ?? {}))
      this.#missed[name] = { ...this.#missed[name], ...jsonObjectOr(details) }
    return { code: METHOD_NOT_FOUND, message: `the client cannot be asked for ${method}` }
  }

  /** How the call ended for the client, which hears what it has to declare if that was missed. */
  outcomeOf(outcome: Outcome): Outcome {
    if (!mayBeInNeed(outcome) || Object.keys(this.#missed).length === 0) return outcome
    return { error: missingClientCapability(this.#missed).error }
  }
}

/** A request that is wrong in itself would fail whatever its client can do. */
const mayBeInNeed = (outcome: Outcome): boolean =>
  'error' in outcome
    ? outcome.error.code !== INVALID_PARAMS && outcome.error.code !== RESOURCE_NOT_FOUND
    : outcome.result.isError === true
