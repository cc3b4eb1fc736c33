import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Command, parseCommandLine } from '../../src/config/command-line.ts'

const table: readonly (readonly [argv: readonly string[], command: Command])[] = [
  [[], { command: 'run', source: { kind: 'default' } }],
  [['-f', 'gw.yaml'], { command: 'run', source: { kind: 'file', path: 'gw.yaml' } }],
  [['--file=gw.yaml'], { command: 'run', source: { kind: 'file', path: 'gw.yaml' } }],
  [['-f', '-'], { command: 'run', source: { kind: 'stdin' } }],
  [['-c', 'gateways: {}'], { command: 'run', source: { kind: 'text', text: 'gateways: {}' } }],
  [['--config', ''], { command: 'run', source: { kind: 'text', text: '' } }],
  [['--validate-only', '-f', 'a'], { command: 'validate', source: { kind: 'file', path: 'a' } }],
  [['--validate-only'], { command: 'validate', source: { kind: 'default' } }],
  [['-V'], { command: 'version', form: 'short' }],
  [['--version'], { command: 'version', form: 'json' }],
  [['controller'], { command: 'controller', args: [] }],
  [['controller', '--version'], { command: 'controller', args: ['--version'] }],
]

test('parseCommandLine', async (t) => {
  for (const [argv, command] of table) {
    await t.test(`parses ${JSON.stringify(argv)}`, () => {
      assert.deepEqual(parseCommandLine(argv), command)
    })
  }

  const refused: readonly (readonly [argv: readonly string[], text: RegExp])[] = [
    [['-f', 'a', '-c', 'b'], /^only one of --config or --file\n/],
    [['-f', 'a', 'controller'], /^unexpected argument "controller"\n/],
    [['gw.yaml'], /^unexpected argument "gw\.yaml"\n/],
    [['--fiel', 'a'], /^Unknown option '--fiel'/],
    [['-f'], /argument missing/],
    [['--validate-only=yes'], /does not take an argument/],
  ]
  for (const [argv, text] of refused) {
    await t.test(`refuses ${JSON.stringify(argv)} with the usage`, () => {
      const command = parseCommandLine(argv)
      assert.ok(command.command === 'error')
      assert.match(command.text, text)
      assert.match(command.text, /Usage: agentgateway/)
    })
  }

  await t.test('explains every flag', () => {
    const command = parseCommandLine(['--help'])
    assert.ok(command.command === 'help')
    for (const flag of [
      '-f',
      '--file',
      '-c',
      '--config',
      '--validate-only',
      '-V',
      '--version',
      '-h',
      '--help',
      'controller',
    ]) {
      assert.ok(command.text.includes(flag), flag)
    }
  })
})
