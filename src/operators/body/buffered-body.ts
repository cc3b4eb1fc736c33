import { BufferBody, type BodySink } from '../../model/exchange/body.ts'

/** A buffered body and its trailers. */
export class BufferedBody extends BufferBody {
  readonly trailers: readonly string[] | undefined

  constructor(bytes: Buffer, trailers?: readonly string[]) {
    super(bytes)
    this.trailers = trailers
  }

  get knownTrailers(): readonly string[] | undefined {
    return this.trailers
  }

  override pipe(to: BodySink): void {
    if (this.lengthBytes) to.write(this.bytes)
    to.end(this.trailers)
  }
}
