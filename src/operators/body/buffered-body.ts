import { BufferBody, type BodySink } from '../../model/exchange/body.ts'

/** A body that was read into memory, with the trailers that followed it. */
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
