import type { A2aFacts } from '../../model/a2a.ts'
import type { Reply } from '../../model/reply.ts'
import type { Tongue } from '../../model/tongue.ts'
import { rpcCodeOf, rpcError } from '../rpc-error.ts'

/** Tells the caller of an agent about errors, and takes down that it did. */
export class A2aTongue implements Tongue {
  readonly #facts: A2aFacts
  readonly #id: string

  /** @param id As it is written in JSON. */
  constructor(facts: A2aFacts, id: string) {
    this.#facts = facts
    this.#id = id
  }

  say(reply: Reply): Reply {
    const code = rpcCodeOf(reply.status)
    this.#facts.outcome = 'error'
    this.#facts.errorCode = code
    return rpcError(reply, this.#id, code)
  }
}
