import { Observable } from 'rxjs'
import { Fault } from '../../../../model/fault.ts'
import type { Id, JsonObject, Outcome, Request } from '../../../../protocols/json-rpc/message.ts'
import type { InputRequest } from '../../../../protocols/mcp/input-required.ts'

/** Questions that a server answered with instead of asking them itself: they are asked here, and their answers awaited. */
export class InputRounds {
  readonly #waiting = new Map<Id, (outcome: Outcome) => void>()
  #last = 0

  /** Emits the questions, then, once all have been answered, the answers by the names of the questions. */
  ask(inputs: ReadonlyMap<string, InputRequest>): Observable<Request | Answers> {
    return new Observable((out) => {
      const answers: Record<string, JsonObject> = {}
      const ids: Id[] = []
      let open = inputs.size
      out.add(() => {
        for (const id of ids) this.#waiting.delete(id)
      })
      const finish = (): void => {
        out.next(new Answers(answers))
        out.complete()
      }
      if (open === 0) finish()
      for (const [name, { method, params }] of inputs) {
        const id = `gateway-${++this.#last}`
        ids.push(id)
        this.#waiting.set(id, (outcome) => {
          this.#waiting.delete(id)
          const answer = 'result' in outcome ? outcome.result : declined(method)
          if (!answer) {
            out.error(unanswered(method, outcome))
            return
          }
          answers[name] = answer
          if (--open === 0) finish()
        })
        out.next({ jsonrpc: '2.0', id, method, params })
      }
    })
  }

  /** The client has answered. What nobody asked, or nobody asks any more, is let go. */
  answer(id: Id, outcome: Outcome): void {
    this.#waiting.get(id)?.(outcome)
  }
}

/** What the client said, by the names of the questions. */
export class Answers {
  readonly byName: Readonly<Record<string, JsonObject>>

  constructor(byName: Readonly<Record<string, JsonObject>>) {
    this.byName = byName
  }
}

/** An error is no answer that could be passed on. Of a form it means that nobody filled it in. */
const declined = (method: string): JsonObject | undefined =>
  method === 'elicitation/create' ? { action: 'cancel' } : undefined

const unanswered = (method: string, outcome: Outcome): Fault =>
  new Fault(
    'mcp_client_erred',
    `mcp: the client answered ${method} with an error: ${'error' in outcome ? outcome.error.message : ''}`,
    { status: 502, reason: 'MCP' },
  )
