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
export const readMessages = ({ request: { body } }: Exchange, limitBytes: number): Observable<Parsed> =>
  body instanceof HeardBody ? of(body.parsed) : from(body.read(limitBytes)).pipe(map(parseMessages))
