import type { Readable } from 'node:stream'
import type { Body, BodySink } from '../../model/body.ts'
import { collect } from './collect.ts'
import { readableOf } from './readable.ts'

/** A body that knows how to be piped. Whoever wants it whole, or as a stream of Node, gets it that way too. */
export abstract class PipedBody implements Body {
  abstract readonly lengthBytes: number | undefined
  abstract pipe(to: BodySink): void
  abstract drop(): void

  read(limitBytes: number): Promise<Buffer> {
    return collect(this, limitBytes)
  }

  source(): Readable {
    return readableOf(this)
  }
}
