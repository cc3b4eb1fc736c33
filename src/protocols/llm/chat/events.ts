import type { LlmError } from '../error.ts'
import type { Usage } from '../usage.ts'
import type { Finish } from './reply.ts'

/**
 * What happens in a stream, whichever format it is written in.
 *
 * The order that every decoder keeps and every encoder may count on: `start`; then for each block `open`, `delta`s, and
 * `close`; `finish`; `end`, and nothing after it. Blocks are numbered densely from 0 in the order in which they open.
 * They may be open at the same time, for there are formats that let tool calls overlap. `usage` may come at any time
 * between `start` and `end`, more than once; each holds all that is known so far. `error` ends the stream in place of
 * `finish` and `end`, at any time.
 */
export type ChatEvent =
  | {
      readonly type: 'start'
      readonly id: string
      readonly model: string
      readonly createdAtS?: number | undefined
      readonly serviceTier?: string | undefined
      /** Where the stream tells it at once; it comes as `usage` as well. */
      readonly usage?: Usage | undefined
    }
  | { readonly type: 'open'; readonly block: number; readonly part: BlockStart }
  /** More of the block's text: for a tool call, of its arguments. */
  | { readonly type: 'delta'; readonly block: number; readonly text: string }
  /** Signs a block of thoughts, or a tool call. Comes before its `close`. */
  | { readonly type: 'signature'; readonly block: number; readonly signature: string }
  | { readonly type: 'close'; readonly block: number }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly finish: Finish; readonly stopSequence?: string | undefined }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: LlmError }

/** What a block is. */
export type BlockStart =
  | { readonly type: 'text' }
  | { readonly type: 'refusal' }
  | { readonly type: 'thinking' }
  /** Whole from the start. */
  | { readonly type: 'hiddenThinking'; readonly data: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string }

/** Is told what happens in a stream. */
export type Tell = (event: ChatEvent) => void

/** Reads the stream of one answer. */
export interface StreamDecoder {
  /**
   * One event of the stream.
   *
   * @param name What the stream calls it; undefined where it does not. Comments never come here.
   * @param data Its text. One that is not what the format promises is an `error` event, not an exception.
   */
  push(name: string | undefined, data: string, tell: Tell): void
  /** There is no more. If the format's own end has not come by now, the stream was cut: that is an `error`. */
  end(tell: Tell): void
}

/** Writes the stream of one answer. */
export interface StreamEncoder {
  /**
   * What the event looks like: whole server-sent events, each with its blank line; empty for what does not show.
   *
   * Blocks that overlap are put one after the other where the format wants that. An `error` may come at any time, be it
   * first, and gives the format's own error event and whatever clients need to notice that it is over.
   */
  encode(event: ChatEvent): string
}
