import type { A2aAttributes } from '../../model/exchange/a2a-attributes.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { LocalReplyFormat } from '../../model/exchange/local-reply-format.ts'
import { rpcCodeOf, rpcError } from '../json-rpc-error.ts'

/** Formats local replies as JSON-RPC errors, and records that an error was sent. */
export class A2aLocalReplyFormat implements LocalReplyFormat {
  readonly #attributes: A2aAttributes
  readonly #id: string

  /** @param id The id of the request, as JSON text. */
  constructor(attributes: A2aAttributes, id: string) {
    this.#attributes = attributes
    this.#id = id
  }

  format(reply: Reply): Reply {
    const code = rpcCodeOf(reply.status)
    this.#attributes.outcome = 'error'
    this.#attributes.errorCode = code
    return rpcError(reply, this.#id, code)
  }
}
