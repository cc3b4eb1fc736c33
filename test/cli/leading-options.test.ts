import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withLeadingOptionsMoved } from '../../src/cli/leading-options.ts'
import { agctl } from '../../src/cli/program.ts'
import { runAgctlProgram } from '../support/cli/agctl.ts'

const moved = (text: string): string => withLeadingOptionsMoved(agctl(), text.split(' ')).join(' ')

test('options before a command', async (t) => {
  await t.test('are those of the command, with their values', () => {
    assert.equal(moved('-n apps check'), 'check -n apps')
    assert.equal(moved('--namespace=apps check -o json'), 'check --namespace=apps -o json')
    assert.equal(moved('-napps -A check'), 'check -napps -A')
    assert.equal(moved('--context check check'), 'check --context check')
    assert.equal(
      moved('-n apps proxy -k file config --local routes gateway/web'),
      'proxy config routes -n apps -k file --local gateway/web',
    )
    assert.equal(moved('-n apps trace web -- -n x'), 'trace -n apps web -- -n x')
  })

  await t.test(
    'stay where they are if there is no such command or option, or what they mean depends on it',
    () => {
      for (const text of [
        '-n',
        '-n apps',
        '-n apps nope',
        '--nope check',
        '-h check',
        '-- check',
        '--header a token',
      ])
        assert.equal(moved(text), text)
      assert.equal(moved('check -n apps'), 'check -n apps')
      assert.equal(moved('proxy config -h'), 'proxy config -h')
      assert.equal(moved('--local=x check'), '--local=x check')
    },
  )

  await t.test('arrive at the command', async () => {
    const { code, stderr } = await runAgctlProgram(['-o', 'nope', 'check'])
    assert.equal(code, 2)
    assert.match(stderr, /argument 'nope' is invalid. Allowed choices are table, json, yaml/)
  })

  await t.test('that no command has are unknown', async () => {
    const { code, stderr } = await runAgctlProgram(['--nope', 'check'])
    assert.equal(code, 2)
    assert.match(stderr, /unknown option '--nope'/)
  })
})

test('the help of a command names a default output that is one of its formats', async () => {
  for (const [part, format] of [
    ['all', 'json'],
    ['routes', 'table'],
  ] as const) {
    const { stdout } = await runAgctlProgram(['proxy', 'config', part, '-h'])
    assert.match(
      stdout.replace(/\s+/g, ' '),
      new RegExp(`table, wide, json or yaml \\(default: "${format}"\\)`),
    )
  }
})
