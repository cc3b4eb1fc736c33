import type { BodySink, BufferLease } from './body.ts'

/**
 * A sink that passes on everything. A subclass overrides only what it observes; it passes on the lease of a chunk
 * unless it keeps the chunk.
 */
export abstract class PassingSink implements BodySink {
  protected readonly to: BodySink

  constructor(to: BodySink) {
    this.to = to
  }

  write(chunk: Uint8Array, lease?: BufferLease): boolean {
    return this.to.write(chunk, lease)
  }

  end(trailers?: readonly string[]): void {
    this.to.end(trailers)
  }

  fail(fault: unknown): void {
    this.to.fail(fault)
  }

  onDrain(resume: () => void): void {
    this.to.onDrain(resume)
  }
}
