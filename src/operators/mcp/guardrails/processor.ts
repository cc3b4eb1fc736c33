import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Evaluate } from '../../../model/exchange/expression.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import type { Request } from '../../../model/exchange/request.ts'
import { Uncallable } from '../../callout/uncallable.ts'
import type { ConcurrencyLimit } from '../../concurrency-limit.ts'
import { evaluateAttributes } from '../../ext-proc/attributes.ts'
import { applyFieldChanges, fieldChange } from '../../headers/header-mutation.ts'
import { isEditable } from '../../headers/protected-headers.ts'
import type { McpPhase, McpProcessor } from './schema.ts'
import { phaseOf } from './phase-match.ts'
import { applied } from '../../trace-policy.ts'
import {
  type AuthorizationError,
  AuthorizationError_Code as Code,
  ExtMcp,
  type HeaderMutation,
} from '../../../protocols/grpc/ext-mcp.gen.ts'
import { INTERNAL_ERROR } from '../../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, JsonObject } from '../../../protocols/json-rpc/message.ts'
import type { GrpcCallOptions, GrpcService } from '../../../upstream/grpc/grpc-client.ts'

/** A header as a processor gets it: one byte for each character. */
export interface ProcessorField {
  readonly key: string
  readonly value: Uint8Array
}

/** The request headers that a processor gets; pseudo-headers come first. */
export const visibleFields = ({
  allowed,
  disallowed,
}: McpProcessor['requestHeaders']): ((request: Request) => ProcessorField[]) => {
  const yes = new Set(allowed)
  const no = new Set(disallowed)
  const isVisible = (name: string): boolean => !no.has(name) && (yes.size === 0 || yes.has(name))
  return ({ method, scheme, authority, target, headers }) => {
    const list: ProcessorField[] = []
    const add = (key: string, value: string): void => {
      if (isVisible(key)) list.push({ key, value: Buffer.from(value, 'latin1') })
    }
    add(':method', method)
    add(':scheme', scheme)
    add(':authority', authority)
    add(':path', target)
    for (const [name, value] of headers.entries()) add(name, value)
    return list
  }
}

/** The error for a refused caller. The processor's own error counts, if it is a JSON-RPC error. */
export const guardrailRefusal = ({ code, reason, mcpError }: AuthorizationError): ErrorObject => {
  const own = mcpError && errorIn(mcpError)
  return own ?? { code: codes.get(code) ?? INTERNAL_ERROR, message: reason || 'refused by a guardrail' }
}

const errorIn = (bytes: Uint8Array): ErrorObject | undefined => {
  const { code, message, data } = objectIn(bytes) ?? {}
  if (typeof code !== 'number' || !Number.isInteger(code) || typeof message !== 'string') return undefined
  return { code, message, ...(data === undefined ? {} : { data }) }
}

const codes: ReadonlyMap<Code, number> = new Map([
  [Code.PERMISSION_DENIED, -32001],
  [Code.RESOURCE_EXHAUSTED, -32003],
  [Code.INVALID, -32600],
])

/** The JSON object in these bytes; undefined if there is none. */
export const objectIn = (bytes: Uint8Array): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined
  } catch {
    return undefined
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A service that inspects messages, and the options of its calls. */
export interface ProcessorOptions extends Pick<McpProcessor, 'failureMode' | 'methods' | 'requestHeaders'> {
  readonly service: GrpcService
  readonly timeoutMs: number
  /** Bounds concurrent and waiting calls to the service. */
  readonly limit: ConcurrencyLimit
  readonly metadata: readonly (readonly [key: string, value: Evaluate])[]
}

/** The verdict on params or a result: unchanged, replaced, or an error. */
export type ProcessorVerdict = { readonly content?: JsonObject } | { readonly error: ErrorObject }

/** The client of one service. */
export class Processor {
  readonly phaseOf: (method: string) => McpPhase
  readonly #options: ProcessorOptions
  readonly #fieldsOf: (request: Exchange['request']) => ProcessorField[]

  constructor(options: ProcessorOptions) {
    this.#options = options
    this.phaseOf = phaseOf(options.methods)
    this.#fieldsOf = visibleFields(options.requestHeaders)
  }

  request(
    method: string,
    params: JsonObject | undefined,
    x: Exchange,
    serviceNames: readonly string[],
  ): Promise<ProcessorVerdict> {
    return this.#check('checkRequest', x, async (options) => {
      const request = {
        serviceNames: [...serviceNames],
        method,
        metadataContext: evaluateAttributes(x, this.#options.metadata),
        ...(params && { mcpRequest: bytesOf(params) }),
        headers: this.#fieldsOf(x.request),
      }
      const response = await this.#options.service.unary(ExtMcp.method.checkRequest, request, options)
      const verdict = verdictOf(response.result)
      if (response.metadata) x.policy.mcpGuardrails = { ...x.policy.mcpGuardrails, ...response.metadata }
      if (response.headerMutation && !('error' in verdict)) changeHead(x, response.headerMutation)
      return verdict
    })
  }

  response(
    method: string,
    result: JsonObject,
    x: Exchange,
    serviceNames: readonly string[],
  ): Promise<ProcessorVerdict> {
    return this.#check('checkResponse', x, async (options) => {
      const request = {
        serviceNames: [...serviceNames],
        method,
        metadataContext: evaluateAttributes(x, this.#options.metadata),
        mcpResponse: bytesOf(result),
      }
      return verdictOf(
        (await this.#options.service.unary(ExtMcp.method.checkResponse, request, options)).result,
      )
    })
  }

  async #check(
    rpc: 'checkRequest' | 'checkResponse',
    x: Exchange,
    put: (options: GrpcCallOptions) => Promise<ProcessorVerdict>,
  ): Promise<ProcessorVerdict> {
    const { limit, timeoutMs, failureMode } = this.#options
    try {
      const verdict = await (limit.run(() => put({ timeoutMs, about: x, signal: x.signal })) ??
        Promise.reject(busy))
      x.probe?.record(applied('mcp_guardrails', `${rpc}: ${describe(verdict)}`))
      return verdict
    } catch (error) {
      // The client has disconnected: there is nothing to decide.
      if (!(error instanceof Fault) || error.code === 'abandoned') throw error
      const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
      x.probe?.record(applied('mcp_guardrails', `${rpc}: could not be asked: ${error.message}${cause}`))
      if (failureMode === 'failOpen' && !(error instanceof Uncallable)) return {}
      return { error: { code: INTERNAL_ERROR, message: `mcpGuardrails ${rpc} failed: ${error.message}` } }
    }
  }
}

type Result =
  | { readonly case: 'pass' }
  | { readonly case: 'mutated'; readonly value: Uint8Array }
  | { readonly case: 'error'; readonly value: Parameters<typeof guardrailRefusal>[0] }
  | { readonly case: undefined }

/** A missing result is not a permission. */
const verdictOf = (result: Result): ProcessorVerdict => {
  switch (result.case) {
    case 'pass':
      return {}
    case 'error':
      return { error: guardrailRefusal(result.value) }
    case 'mutated': {
      const content = objectIn(result.value)
      if (!content) throw broken('the service gave something else than a JSON object')
      return { content }
    }
    default:
      throw broken('the service gave no result')
  }
}

const changeHead = ({ request: { headers } }: Exchange, { set, remove }: HeaderMutation): void => {
  for (const name of remove) if (isEditable(name)) headers.delete(name.toLowerCase())
  const changes = set.flatMap(
    ({ key, value }) => fieldChange(key, Buffer.from(value).toString('latin1'), 'set') ?? [],
  )
  applyFieldChanges(headers, changes)
}

const bytesOf = (value: JsonObject): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify(value))

const describe = (verdict: ProcessorVerdict): string => {
  if ('error' in verdict) return `refused with ${verdict.error.code}`
  return verdict.content ? 'changed' : 'passed'
}

const broken = (why: string): Fault =>
  new Fault('mcp_guardrail_failed', why, { status: 500, reason: 'Guardrail' })

const busy = broken('too many wait already')
