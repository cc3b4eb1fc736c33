import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { LogFiles } from '../../../src/sinks/log/log-files.ts'

suite('log files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-files-'))
  after(() => rmSync(folder, { recursive: true }))
  const text = (name: string) => readFileSync(join(folder, name), 'utf8')

  test('are opened once each, for all writers', () => {
    const files = new LogFiles()
    const path = join(folder, 'shared.log')
    files.at(path).write('one\n')
    files.writer(join(folder, '.', 'shared.log')).write('two\n')
    files.flushSync()
    assert.equal(text('shared.log'), 'one\ntwo\n')
    files.keep([])
  })

  test('get no line twice, none cut, and lose none when they are renamed while lines are written', async () => {
    const files = new LogFiles()
    const path = join(folder, 'rotated.log')
    const to = files.writer(path)
    files.at(path)
    const count = 30_000
    let rotations = 0
    for (let i = 0; i < count; i++) {
      to.write(`${String(i).padStart(200, '.')}\n`)
      if (i % 100 === 0) await turn()
      if (i % 2_500 === 2_499) {
        // Each file gets some lines, however slow the disk is.
        while (text('rotated.log') === '') await turn()
        renameSync(path, `${path}.${String(++rotations)}`)
        assert.deepEqual(files.reopen(), [])
      }
    }
    // What is being written meanwhile ends first.
    while (text('rotated.log') === '') {
      to.write('end\n')
      await turn()
    }
    files.keep([])
    const names = [
      ...Array.from({ length: rotations }, (_, i) => `rotated.log.${String(i + 1)}`),
      'rotated.log',
    ]
    const lines = names
      .flatMap((name) => text(name).split('\n'))
      .filter((line) => line !== '' && line !== 'end')
    assert.deepEqual(
      lines.map((line) => Number(line.replace(/^\.+/, ''))).sort((a, b) => a - b),
      Array.from({ length: count }, (_, i) => i),
    )
    assert.ok(names.filter((name) => text(name).length > 0).length > 3)
  })

  test('stay as they are if they cannot be opened again', () => {
    const inner = mkdtempSync(join(folder, 'inner-'))
    const files = new LogFiles()
    const path = join(inner, 'a.log')
    const to = files.at(path)
    renameSync(inner, `${inner}-moved`)
    assert.deepEqual(files.reopen(), [`cannot reopen the log file ${path}: ENOENT`])
    to.write('still\n')
    files.flushSync()
    assert.equal(readFileSync(join(`${inner}-moved`, 'a.log'), 'utf8'), 'still\n')
    files.keep([])
  })

  test('that are not kept are closed with their last lines, and opened again by a late writer', () => {
    const files = new LogFiles()
    const to = files.writer(join(folder, 'late.log'))
    to.write('one\n')
    files.keep([])
    assert.equal(text('late.log'), 'one\n')
    to.write('two\n')
    files.keep([])
    assert.equal(text('late.log'), 'one\ntwo\n')
  })

  test('that cannot be opened are named, and a pipe without a reader does not block', () => {
    const files = new LogFiles()
    assert.throws(() => files.at(join(folder, 'none', 'a.log')), {
      name: 'StartFailure',
      message: `cannot open the log file ${join(folder, 'none', 'a.log')}: ENOENT`,
    })
    execFileSync('mkfifo', [join(folder, 'pipe')])
    assert.throws(() => files.at(join(folder, 'pipe')), /cannot open the log file .*pipe: ENXIO/)
    let dropped = 0
    new LogFiles(() => dropped++).writer(join(folder, 'none', 'b.log')).write('x\n')
    assert.equal(dropped, 1)
  })
})
