import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const folder = 'docs/decisions'
const names = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort()

test('decision records', async (t) => {
  await t.test('are numbered without gaps', () => {
    assert.ok(names.length > 10)
    assert.deepEqual(
      names.map((name) => /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1]),
      names.map((_, i) => String(i + 1).padStart(4, '0')),
    )
  })

  for (const name of names) {
    await t.test(`${name} states decision, reasons and consequences, on half a page`, () => {
      const text = readFileSync(`${folder}/${name}`, 'utf8')
      assert.match(text, new RegExp(`^# ${name.slice(0, 4)}: `))
      const parts = [...text.matchAll(/^\*\*(\w+)[.:]\*\*/gm)].map(([, part]) => part)
      assert.deepEqual(parts, ['Status', 'Decision', 'Why', 'Consequence'])
      assert.match(text, /^\*\*Status:\*\* (accepted|superseded by \[\d{4}.*\])\.$/m)
      assert.ok(text.split('\n').length <= 40)
    })
  }

  await t.test('are listed with their titles', () => {
    const list = readFileSync(`${folder}/README.md`, 'utf8').match(/^- .*$/gm)
    const titles = names.map((name) => {
      const title = /^# (.*)$/m.exec(readFileSync(`${folder}/${name}`, 'utf8'))?.[1] ?? ''
      return `- [${title}](${name})`
    })
    assert.deepEqual(list, titles)
  })
})
