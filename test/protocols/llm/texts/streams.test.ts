import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlockStart, ChatEvent } from '../../../../src/protocols/llm/chat/events.ts'
import { codecs } from '../../../../src/protocols/llm/codecs.ts'
import type { TextSlot } from '../../../../src/protocols/llm/texts/text-slot.ts'
import { streamTexts } from '../../../../src/protocols/llm/texts/extract-texts.ts'
import { type GoldenEvents, goldenStreams } from './goldens.ts'
import { isNoContent, leavesOf } from './leaves.ts'

const slotsOf = ({ pieces, wholes }: { pieces: readonly TextSlot[]; wholes: readonly TextSlot[] }) => [
  ...pieces,
  ...wholes,
]

/** What the codec of the format decodes: the texts of its blocks. */
const saidIn = ({ format, events }: GoldenEvents): string[] => {
  const blocks = new Map<number, { type: BlockStart['type']; text: string }>()
  const tell = (event: ChatEvent) => {
    if (event.type === 'open') blocks.set(event.block, { type: event.part.type, text: '' })
    const block = event.type === 'delta' ? blocks.get(event.block) : undefined
    if (block && event.type === 'delta') block.text += event.text
  }
  const decoder = codecs[format].decodeStream()
  for (const { name, text } of events) decoder.push(name, text, tell)
  decoder.end(tell)
  // Calls without arguments are decoded as `{}`.
  const said = [...blocks.values()].filter(({ text }) => text !== '' && text !== '{}')
  // Gemini's arguments are complete objects; parts of reasoning are joined as paragraphs.
  return said
    .filter(({ type }) => format !== 'generateContent' || type !== 'toolCall')
    .flatMap(({ type, text }) =>
      format === 'responses' && type === 'thinking' ? text.split('\n\n') : [text],
    )
}

test('texts of streams', async (t) => {
  for (const golden of goldenStreams) {
    const { format, name, events } = golden

    await t.test(`${name} of ${format}: the pieces of a channel form a text`, () => {
      const texts = streamTexts(format)
      const channels = new Map<string, string>()
      const wholes: string[] = []
      for (const event of events) {
        const heard = texts.read(event.name, event.data)
        for (const { channel, text } of heard.pieces)
          channels.set(channel, (channels.get(channel) ?? '') + text)
        wholes.push(...heard.wholes.map(({ text }) => text))
      }
      const known = [...channels.values(), ...wholes]
      for (const said of saidIn(golden))
        assert.ok(known.includes(said), `${said} in ${JSON.stringify(known)}`)
    })

    await t.test(`${name} of ${format}: a closed channel gets no more pieces`, () => {
      const texts = streamTexts(format)
      const closed = new Set<string>()
      const open = new Set<string>()
      for (const event of events) {
        const { pieces, closes } = texts.read(event.name, event.data)
        for (const { channel, stretch } of pieces)
          for (const name of stretch === undefined ? [channel] : [channel, stretch]) {
            assert.ok(!closed.has(name), name)
            open.add(name)
          }
        for (const channel of closes === 'all' ? open : closes) {
          assert.ok(open.has(channel), channel)
          closed.add(channel)
        }
      }
    })

    await t.test(`${name} of ${format}: no text remains when all are removed`, () => {
      const texts = streamTexts(format)
      for (const event of events) {
        const data = structuredClone(event.data)
        const heard = texts.read(event.name, data)
        for (const slot of slotsOf(heard)) slot.set('')
        const left = leavesOf(data).filter((leaf) => !isNoContent(leaf))
        assert.deepEqual(left, [])
      }
    })

    await t.test(`${name} of ${format}: each text is changed in place, and nothing else`, () => {
      const texts = streamTexts(format)
      for (const event of events) {
        const data = structuredClone(event.data)
        const before = leavesOf(data)
        const slots = slotsOf(texts.read(event.name, data))
        for (const [i, slot] of slots.entries()) slot.set(`masked ${String(i)}`)
        const after = leavesOf(data)
        const kept = before.filter(({ path }) => !path.includes('logprobs/'))
        assert.deepEqual(
          after.map(({ path }) => path),
          kept.map(({ path }) => path),
        )
        const changed = after.filter(({ text }, at) => text !== kept[at]?.text).map(({ text }) => text)
        assert.deepEqual(changed.toSorted(), slots.map((_, i) => `masked ${String(i)}`).toSorted())
      }
    })
  }

  await t.test('are tested in every format', () => {
    const formats = new Set(goldenStreams.map(({ format }) => format))
    assert.equal(formats.size, 5)
    assert.ok(goldenStreams.length > 25)
  })
})
