import { from, map, type Observable, of } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Parsed } from '../../../protocols/json-rpc/parse.ts'
import { parseMcpMessages } from '../../../protocols/mcp/parse-messages.ts'
import { BufferedBody } from '../../body/buffered-body.ts'

/** A body with its parsed messages. They belong to these bytes: a stage that replaces the body causes another parse. */
export class ParsedBody extends BufferedBody {
  readonly parsed: Parsed

  constructor(bytes: Buffer, trailers: readonly string[] | undefined, parsed: Parsed) {
    super(bytes, trailers)
    this.parsed = parsed
  }
}

/**
 * The messages of a request; read and parsed unless a stage has done so. Errors if the body is longer than the limit.
 */
export const readMessages = ({ request, hop }: Exchange, limitBytes: number): Observable<Parsed> => {
  const { body } = request
  if (body instanceof ParsedBody) return of(body.parsed)
  return from(body.read(limitBytes)).pipe(
    map((bytes) => {
      const parsed = parseMcpMessages(bytes)
      // Kept in case the request must be forwarded to another replica unchanged.
      if (hop) request.body = new ParsedBody(bytes, undefined, parsed)
      return parsed
    }),
  )
}
