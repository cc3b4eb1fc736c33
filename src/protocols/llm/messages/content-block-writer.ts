import type { BlockStart } from '../chat/events.ts'

/** A block of a stream that is being encoded. */
export class WrittenBlock {
  readonly part: BlockStart
  /** Deltas buffered until the blocks before are closed. */
  readonly waiting: string[] = []
  signature = ''
  isClosed = false
  /** The index that the client receives; negative until the block has begun. */
  index = -1
  /** The beginning of each delta event. */
  #beginning = ''

  constructor(part: BlockStart) {
    this.part = part
  }

  get showsAtOnce(): boolean {
    return this.part.type === 'toolCall' || this.part.type === 'hiddenThinking'
  }

  begin(index: number): void {
    this.index = index
    this.#beginning =
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},` +
      `"delta":${deltaBeginnings[this.part.type]}`
  }

  /** Concatenated for speed: most events of a stream are text deltas. */
  textDelta(text: string): string {
    return `${this.#beginning}${JSON.stringify(text)}}}\n\n`
  }
}

const deltaBeginnings: Record<BlockStart['type'], string> = {
  text: '{"type":"text_delta","text":',
  refusal: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  toolCall: '{"type":"input_json_delta","partial_json":',
  // Never used: hidden thinking has no text.
  hiddenThinking: '{"type":"text_delta","text":',
}

/** The block in a `content_block_start` event. */
export const contentBlock = (part: BlockStart): object => {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: '' }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'hiddenThinking':
      return { type: 'redacted_thinking', data: part.data }
    case 'toolCall':
      return { type: 'tool_use', id: part.id, name: part.name, input: {} }
  }
}
