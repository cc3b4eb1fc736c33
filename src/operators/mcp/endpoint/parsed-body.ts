import { from, map, type Observable, of } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { type Parsed, parseMessages } from '../../../../protocols/json-rpc/parse.ts'
import { HeldBody } from '../../../body/held-body.ts'

/**
 * A body whose messages are known. They belong to these very bytes: whatever puts another body in its place has it
 * understood anew.
 */
export class HeardBody extends HeldBody {
  readonly parsed: Parsed

  constructor(bytes: Buffer, trailers: readonly string[] | undefined, parsed: Parsed) {
    super(bytes, trailers)
    this.parsed = parsed
  }
}

/** The messages of a request; read and parsed, unless a stage has done so. Errors if the body is longer than the limit. */
export const readMessages = ({ request, hop }: Exchange, limitBytes: number): Observable<Parsed> => {
  const { body } = request
  if (body instanceof HeardBody) return of(body.parsed)
  return from(body.read(limitBytes)).pipe(
    map((bytes) => {
      const parsed = parseMessages(bytes)
      // What turns out to be for another replica is passed on as it came.
      if (hop) request.body = new HeardBody(bytes, undefined, parsed)
      return parsed
    }),
  )
}
