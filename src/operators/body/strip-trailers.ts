import { type Body, type BodySink, BufferBody } from '../../model/exchange/body.ts'
import { PassingSink } from '../../model/exchange/pass-through-sink.ts'
import type { Request } from '../../model/exchange/request.ts'
import { BufferedBody } from './buffered-body.ts'
import { PassingBody } from './pass-through-body.ts'

/**
 * Removes trailers with these names from a request, whose body is streamed on: servers may merge trailers into header
 * fields (RFC 9110 §6.5.1).
 *
 * @param isMeant Called with names in lower case.
 */
export const dropTrailers = (request: Request, isMeant: (name: string) => boolean): void => {
  const { body, httpVersion } = request
  if (body instanceof BufferedBody) {
    if (body.trailers) request.body = new BufferedBody(body.bytes, without(body.trailers, isMeant))
    return
  }
  // HTTP/1.1 has trailers only without a Content-Length.
  const mayHaveSome = httpVersion === '2' ? body.lengthBytes !== 0 : body.lengthBytes === undefined
  if (mayHaveSome && !(body instanceof BufferBody)) request.body = new BodyWithoutTrailers(body, isMeant)
}

class BodyWithoutTrailers extends PassingBody {
  readonly #isMeant: (name: string) => boolean

  constructor(body: Body, isMeant: (name: string) => boolean) {
    super(body)
    this.#isMeant = isMeant
  }

  override get knownTrailers(): readonly string[] | undefined {
    const { knownTrailers } = this.body
    return knownTrailers && without(knownTrailers, this.#isMeant)
  }

  pipe(to: BodySink): void {
    this.body.pipe(new SinkWithoutTrailers(to, this.#isMeant))
  }
}

class SinkWithoutTrailers extends PassingSink {
  readonly #isMeant: (name: string) => boolean

  constructor(to: BodySink, isMeant: (name: string) => boolean) {
    super(to)
    this.#isMeant = isMeant
  }

  override end(trailers?: readonly string[]): void {
    this.to.end(trailers && without(trailers, this.#isMeant))
  }
}

const without = (
  trailers: readonly string[],
  isMeant: (name: string) => boolean,
): readonly string[] | undefined => {
  const kept: string[] = []
  for (let i = 0; i < trailers.length; i += 2) {
    const name = trailers[i] ?? ''
    if (!isMeant(name.toLowerCase())) kept.push(name, trailers[i + 1] ?? '')
  }
  return kept.length ? kept : undefined
}
