import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { type Page, readPage, readPages } from '../support/pages.ts'

/** Lines of shell, with continued lines joined. */
const commandsOf = (page: Page): string[] =>
  page.blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.replaceAll(/\\\n\s*/g, '').split('\n'))

/** Files of the repository in a command. */
const filesOf = (command: string): string[] =>
  [...command.matchAll(/(?<![\w/.-])(?:examples|config|scripts)\/[\w./-]*\w/g)].map(([file]) => file)

const wrongWith = (command: string): string | undefined => {
  const missing = filesOf(command).find((file) => !existsSync(file))
  if (missing !== undefined) return `${missing} is not there`
  if (/\b[A-Z_]+=…/.test(command)) return 'leaves open what to fill in'
  // Not every Node runs TypeScript; the one installed by npm does.
  if (/(?<!npx )\bnode\b[^&|;]*\.ts\b/.test(command)) return 'may be run by a Node that is too old'
  return undefined
}

const complaints = (page: Page): string[] =>
  commandsOf(page).flatMap((command) => {
    const wrong = wrongWith(command)
    return wrong === undefined ? [] : [`${page.path}: ${wrong}: ${command}`]
  })

test('commands in the documentation', async (t) => {
  const pages = readPages()

  await t.test('can be run as printed', () => {
    assert.ok(pages.flatMap(commandsOf).flatMap(filesOf).length > 50)
    assert.deepEqual(pages.flatMap(complaints), [])
  })

  await t.test('are detected if they cannot be run', () => {
    const commands = [
      'npm start -- -f examples/gone/config.yaml',
      'ISSUER=… npm start',
      'node --test examples/echo/check.test.ts',
      'npx node examples/echo/check.test.ts',
    ]
    const page = readPage('planted.md', ['```sh', ...commands, '```', ''].join('\n'))
    assert.deepEqual(complaints(page), [
      `planted.md: examples/gone/config.yaml is not there: ${commands[0]}`,
      `planted.md: leaves open what to fill in: ${commands[1]}`,
      `planted.md: may be run by a Node that is too old: ${commands[2]}`,
    ])
  })
})
