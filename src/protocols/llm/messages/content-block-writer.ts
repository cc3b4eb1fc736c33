import type { BlockStart } from '../chat/events.ts'

/** A block of a stream as it is being written. */
export class WrittenBlock {
  readonly part: BlockStart
  /** What is to be written when its turn comes. */
  readonly waiting: string[] = []
  signature = ''
  isClosed = false
  /** Its number for the client; less than 0 as long as it does not show. */
  index = -1
  /** What every delta begins with. */
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

  /** Written by hand, for most events of a stream are this one. */
  textDelta(text: string): string {
    return `${this.#beginning}${JSON.stringify(text)}}}\n\n`
  }
}

const deltaBeginnings: Record<BlockStart['type'], string> = {
  text: '{"type":"text_delta","text":',
  refusal: '{"type":"text_delta","text":',
  thinking: '{"type":"thinking_delta","thinking":',
  toolCall: '{"type":"input_json_delta","partial_json":',
  // Has no text; here so that the table is whole.
  hiddenThinking: '{"type":"text_delta","text":',
}

/** How a block begins for the client. */
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
