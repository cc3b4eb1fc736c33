import type { Body } from '../../model/exchange/body.ts'
import { PipedBody } from './piped-body.ts'

/**
 * A body with the length and the trailers of the inner one. Subclasses pipe the inner body through a sink of their
 * own.
 */
export abstract class PassingBody extends PipedBody {
  protected readonly body: Body

  constructor(body: Body) {
    super()
    this.body = body
  }

  get lengthBytes(): number | undefined {
    return this.body.lengthBytes
  }

  get knownTrailers(): readonly string[] | undefined {
    return this.body.knownTrailers
  }

  drop(): void {
    this.body.drop()
  }
}
