import { A2aAttributes } from '../../model/exchange/a2a-attributes.ts'
import { BufferBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { LocalReplyFormat } from '../../model/exchange/local-reply-format.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import { a2aCallOf } from '../../protocols/a2a/call.ts'
import { setBuffered } from '../body/buffer-body.ts'
import { readAhead } from '../body/read-prefix.ts'
import { rpcCodeOf, rpcError } from '../json-rpc-error.ts'
import { applied } from '../trace-policy.ts'

/** Bytes of a message that are inspected. Method and id come first; the parts that may be large follow them. */
export const INSPECTED_BYTES = 65_536

/**
 * Records the method and id of a JSON-RPC request to an agent. From then on, local replies of the exchange are JSON-RPC
 * errors. The request is not changed; at most its first 64 KiB are buffered.
 *
 * Belongs before every stage that may refuse a request. Running it twice has no further effect.
 */
export const recordA2aCall = (): Operator => onRequest('hear-call', recordJsonRpcCall)

/** The verdict of {@link recordA2aCall}, for stages that do more than record. */
export const recordJsonRpcCall = (x: Exchange): Verdict | Promise<Verdict> => {
  if (x.protocol.a2a) return undefined
  const { request } = x
  const { body, headers } = request
  if (request.method !== 'POST' || headers.has('content-encoding') || !isJson(headers.get('content-type'))) {
    x.protocol.a2a = new A2aAttributes(undefined)
    return undefined
  }
  if (body instanceof BufferBody) {
    record(x, body.bytes)
    return undefined
  }
  return readAhead(body, INSPECTED_BYTES).then((ahead) => {
    if ('whole' in ahead) {
      setBuffered(request, ahead.whole)
      record(x, ahead.whole.bytes)
    } else {
      request.body = ahead.longer
      record(x, ahead.longer.beginning())
    }
    return undefined
  })
}

const record = (x: Exchange, bytes: Buffer): void => {
  const call = a2aCallOf(bytes.toString('utf8', 0, INSPECTED_BYTES))
  const attributes = new A2aAttributes(call?.method)
  x.protocol.a2a = attributes
  if (!call) return
  x.protocol.localReplyFormat = new A2aLocalReplyFormat(attributes, call.id)
  x.probe?.record(applied('a2a', `heard a call of ${call.method}`))
}

const isJson = (contentType: string | undefined): boolean =>
  contentType === undefined || contentType.toLowerCase().includes('json')

/** Formats local replies as JSON-RPC errors, and records that an error was sent. */
class A2aLocalReplyFormat implements LocalReplyFormat {
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
