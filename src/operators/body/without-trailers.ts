import type { Readable } from 'node:stream'
import { type Body, type BodySink, BufferBody, type Loan } from '../../model/body.ts'
import type { Request } from '../../model/request.ts'
import { collect } from './collect.ts'
import { HeldBody } from './held-body.ts'
import { readableOf } from './readable.ts'

/**
 * Takes trailers of these names out of a request, whose body goes on as it comes: servers may take a trailer for a field
 * of the head (RFC 9110 §6.5.1).
 *
 * @param isMeant Told names in lower case.
 */
export const dropTrailers = (request: Request, isMeant: (name: string) => boolean): void => {
  const { body, httpVersion } = request
  if (body instanceof HeldBody) {
    if (body.trailers) request.body = new HeldBody(body.bytes, without(body.trailers, isMeant))
    return
  }
  // HTTP/1.1 has trailers only where it does not say how long the body is.
  const mayHaveSome = httpVersion === '2' ? body.lengthBytes !== 0 : body.lengthBytes === undefined
  if (mayHaveSome && !(body instanceof BufferBody)) request.body = new BodyWithoutTrailers(body, isMeant)
}

class BodyWithoutTrailers implements Body {
  readonly #body: Body
  readonly #isMeant: (name: string) => boolean

  constructor(body: Body, isMeant: (name: string) => boolean) {
    this.#body = body
    this.#isMeant = isMeant
  }

  get lengthBytes(): number | undefined {
    return this.#body.lengthBytes
  }

  get knownTrailers(): readonly string[] | undefined {
    const { knownTrailers } = this.#body
    return knownTrailers && without(knownTrailers, this.#isMeant)
  }

  pipe(to: BodySink): void {
    this.#body.pipe(new SinkWithoutTrailers(to, this.#isMeant))
  }

  read(limitBytes: number): Promise<Buffer> {
    return collect(this, limitBytes)
  }

  drop(): void {
    this.#body.drop()
  }

  source(): Readable {
    return readableOf(this)
  }
}

class SinkWithoutTrailers implements BodySink {
  readonly #to: BodySink
  readonly #isMeant: (name: string) => boolean

  constructor(to: BodySink, isMeant: (name: string) => boolean) {
    this.#to = to
    this.#isMeant = isMeant
  }

  write(chunk: Uint8Array, loan?: Loan): boolean {
    return this.#to.write(chunk, loan)
  }

  end(trailers?: readonly string[]): void {
    this.#to.end(trailers && without(trailers, this.#isMeant))
  }

  fail(fault: unknown): void {
    this.#to.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.#to.onDrain(resume)
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
