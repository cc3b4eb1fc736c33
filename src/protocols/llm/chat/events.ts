import type { LlmError } from '../errors/error.ts'
import type { Usage } from '../usage.ts'
import type { Finish } from './reply.ts'

/**
 * The events of a stream, in any format.
 *
 * The order that every decoder keeps and every encoder may rely on: `start`; then for each block `open`, `delta`s, and
 * `close`; `finish`; `end`, and nothing after it. Blocks are numbered densely from 0 in the order in which they open.
 * They may be open at the same time, since some formats let tool calls overlap. `usage` may come at any time between
 * `start` and `end`, more than once; each has all figures so far. `error` ends the stream in place of `finish` and
 * `end`, at any time.
 */
export type ChatEvent =
  | {
      readonly type: 'start'
      readonly id: string
      readonly model: string
      readonly createdAtS?: number | undefined
      readonly serviceTier?: string | undefined
      /** If the stream reports it immediately; it is also emitted as `usage`. */
      readonly usage?: Usage | undefined
    }
  | { readonly type: 'open'; readonly block: number; readonly part: BlockStart }
  /** More of the block's text: for a tool call, of its arguments. */
  | { readonly type: 'delta'; readonly block: number; readonly text: string }
  /** Signs a thinking block or a tool call. Comes before its `close`. */
  | { readonly type: 'signature'; readonly block: number; readonly signature: string }
  | { readonly type: 'close'; readonly block: number }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly finish: Finish; readonly stopSequence?: string | undefined }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: LlmError }

/** The type of a block, and what is known at its start. */
export type BlockStart =
  | { readonly type: 'text' }
  | { readonly type: 'refusal' }
  | { readonly type: 'thinking' }
  /** Complete at its start. */
  | { readonly type: 'hiddenThinking'; readonly data: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string }

/** Receives the events of a stream. */
export type EmitEvent = (event: ChatEvent) => void

/** Decodes the stream of one response. */
export interface StreamDecoder {
  /**
   * One event of the stream.
   *
   * @param name Its name in the stream; undefined where it has none. Comments are never passed.
   * @param data Its text. One that violates the format is emitted as an `error` event, not thrown.
   */
  push(name: string | undefined, data: string, emit: EmitEvent): void
  /** Ends the stream. If the format's own end is missing, the stream was cut: that is an `error`. */
  end(emit: EmitEvent): void
}

/** Encodes the stream of one reply. */
export interface StreamEncoder {
  /**
   * Encodes one event as whole server-sent events, each with its blank line; empty if the format shows nothing.
   *
   * Overlapping blocks are serialized where the format requires it. An `error` may come at any time, even first; it
   * becomes the format's own error event, with what clients need to detect the end.
   */
  encode(event: ChatEvent): string
}
