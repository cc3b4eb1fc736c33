import type { Body } from '../../model/exchange/body.ts'
import { PipedBody } from './piped-body.ts'

/** A body of as many bytes as the one inside, and with its trailers. What extends it pipes that one through a sink of its own. */
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
