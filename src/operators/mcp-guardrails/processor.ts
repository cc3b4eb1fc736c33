import type { McpPhase, McpProcessor } from '../../model/mcp-guardrails.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Exchange } from '../../model/exchange.ts'
import { Fault } from '../../model/fault.ts'
import { ExtMcp, type HeaderMutation } from '../../protocols/grpc/ext-mcp.gen.ts'
import { INTERNAL_ERROR } from '../../protocols/json-rpc/error-codes.ts'
import type { ErrorObject, JsonObject } from '../../protocols/json-rpc/message.ts'
import type { GrpcCallOptions, GrpcService } from '../../upstream/grpc.ts'
import { told } from '../ext-proc/told-values.ts'
import { applyFieldChanges, fieldChange } from '../field-change.ts'
import { isEditable } from '../editable-field.ts'
import { applied } from '../policy-note.ts'
import { Unaskable } from '../service/unaskable.ts'
import type { Turnstile } from '../turnstile.ts'
import { objectIn } from './object-in.ts'
import { phaseOf } from './phase-of.ts'
import { refusalOf } from './refusal.ts'
import { shownFields, type ShownField } from './shown-fields.ts'

/** A service that looks at messages, and how it is asked. */
export interface ProcessorOptions extends Pick<McpProcessor, 'failureMode' | 'methods' | 'requestHeaders'> {
  readonly service: GrpcService
  readonly timeoutMs: number
  /** Bounds how many may wait for the service. */
  readonly turnstile: Turnstile
  readonly metadata: readonly (readonly [key: string, value: Evaluate])[]
}

/** What became of params or a result: the same, others, or an error instead. */
export type Seen = { readonly content?: JsonObject } | { readonly error: ErrorObject }

/** One service, ready to be asked. */
export class Processor {
  readonly phaseOf: (method: string) => McpPhase
  readonly #options: ProcessorOptions
  readonly #fieldsOf: (request: Exchange['request']) => ShownField[]

  constructor(options: ProcessorOptions) {
    this.#options = options
    this.phaseOf = phaseOf(options.methods)
    this.#fieldsOf = shownFields(options.requestHeaders)
  }

  request(
    method: string,
    params: JsonObject | undefined,
    x: Exchange,
    serviceNames: readonly string[],
  ): Promise<Seen> {
    return this.#ask('checkRequest', x, async (options) => {
      const question = {
        serviceNames: [...serviceNames],
        method,
        metadataContext: told(x, this.#options.metadata),
        ...(params && { mcpRequest: bytesOf(params) }),
        headers: this.#fieldsOf(x.request),
      }
      const said = await this.#options.service.unary(ExtMcp.method.checkRequest, question, options)
      const seen = seenIn(said.result)
      if (said.metadata) x.mcpGuardrails = { ...x.mcpGuardrails, ...said.metadata }
      if (said.headerMutation && !('error' in seen)) changeHead(x, said.headerMutation)
      return seen
    })
  }

  response(method: string, result: JsonObject, x: Exchange, serviceNames: readonly string[]): Promise<Seen> {
    return this.#ask('checkResponse', x, async (options) => {
      const question = {
        serviceNames: [...serviceNames],
        method,
        metadataContext: told(x, this.#options.metadata),
        mcpResponse: bytesOf(result),
      }
      return seenIn(
        (await this.#options.service.unary(ExtMcp.method.checkResponse, question, options)).result,
      )
    })
  }

  async #ask(
    rpc: 'checkRequest' | 'checkResponse',
    x: Exchange,
    put: (options: GrpcCallOptions) => Promise<Seen>,
  ): Promise<Seen> {
    const { turnstile, timeoutMs, failureMode } = this.#options
    try {
      const seen = await (turnstile.pass(() => put({ timeoutMs, about: x, signal: x.signal })) ??
        Promise.reject(busy))
      x.probe?.note(applied('mcp_guardrails', `${rpc}: ${wordFor(seen)}`))
      return seen
    } catch (error) {
      // Nobody waits for an answer any more: there is nothing to be decided.
      if (!(error instanceof Fault) || error.code === 'abandoned') throw error
      const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
      x.probe?.note(applied('mcp_guardrails', `${rpc}: could not be asked: ${error.message}${cause}`))
      if (failureMode === 'failOpen' && !(error instanceof Unaskable)) return {}
      return { error: { code: INTERNAL_ERROR, message: `mcpGuardrails ${rpc} failed: ${error.message}` } }
    }
  }
}

type Result =
  | { readonly case: 'pass' }
  | { readonly case: 'mutated'; readonly value: Uint8Array }
  | { readonly case: 'error'; readonly value: Parameters<typeof refusalOf>[0] }
  | { readonly case: undefined }

/** A service that says nothing has not said yes. */
const seenIn = (result: Result): Seen => {
  switch (result.case) {
    case 'pass':
      return {}
    case 'error':
      return { error: refusalOf(result.value) }
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

const wordFor = (seen: Seen): string => {
  if ('error' in seen) return `refused with ${seen.error.code}`
  return seen.content ? 'changed' : 'passed'
}

const broken = (why: string): Fault =>
  new Fault('mcp_guardrail_failed', why, { status: 500, reason: 'Guardrail' })

const busy = broken('too many wait already')
