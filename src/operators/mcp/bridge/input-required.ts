import { Observable } from 'rxjs'
import { Fault } from '../../../model/exchange/fault.ts'
import type { Id, JsonObject, Outcome, JsonRpcRequest } from '../../../protocols/json-rpc/message.ts'
import type { InputRequest } from '../../../protocols/mcp/input-required.ts'

/** Sends the input requests of a server's `input_required` result to the client, and collects the responses. */
export class InputRounds {
  readonly #waiting = new Map<Id, (outcome: Outcome) => void>()
  #last = 0

  /** Emits the requests, then, once all have a response, the responses by the names of the requests. */
  request(inputs: ReadonlyMap<string, InputRequest>): Observable<JsonRpcRequest | InputResponses> {
    return new Observable((out) => {
      const responses: Record<string, JsonObject> = {}
      const ids: Id[] = []
      let open = inputs.size
      out.add(() => {
        for (const id of ids) this.#waiting.delete(id)
      })
      const finish = (): void => {
        out.next(new InputResponses(responses))
        out.complete()
      }
      if (open === 0) finish()
      for (const [name, { method, params }] of inputs) {
        const id = `gateway-${++this.#last}`
        ids.push(id)
        this.#waiting.set(id, (outcome) => {
          this.#waiting.delete(id)
          const response = 'result' in outcome ? outcome.result : declined(method)
          if (!response) {
            out.error(unanswered(method, outcome))
            return
          }
          responses[name] = response
          if (--open === 0) finish()
        })
        out.next({ jsonrpc: '2.0', id, method, params })
      }
    })
  }

  /** A response of the client. Unknown ids are ignored. */
  resolve(id: Id, outcome: Outcome): void {
    this.#waiting.get(id)?.(outcome)
  }
}

/** The client's responses, by the names of the requests. */
export class InputResponses {
  readonly byName: Readonly<Record<string, JsonObject>>

  constructor(byName: Readonly<Record<string, JsonObject>>) {
    this.byName = byName
  }
}

/** An error cannot be passed on as a response. For an elicitation it counts as cancelled. */
const declined = (method: string): JsonObject | undefined =>
  method === 'elicitation/create' ? { action: 'cancel' } : undefined

const unanswered = (method: string, outcome: Outcome): Fault =>
  new Fault(
    'mcp_client_erred',
    `mcp: the client answered ${method} with an error: ${'error' in outcome ? outcome.error.message : ''}`,
    { status: 502, reason: 'MCP' },
  )
