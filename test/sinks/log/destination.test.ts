import assert from 'node:assert/strict'
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { pbkdf2 } from 'node:crypto'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { logDestination } from '../../../src/sinks/log/destination.ts'

const derive = promisify(pbkdf2)

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** A non-blocking pipe with both ends in the test. */
interface Pipe {
  readonly fd: number
  /** Reads its content; empty if there is none. */
  readonly read: () => string
  /** Closes the reader. */
  readonly close: () => void
}

/** A program that uses the destination as its log, controlled by the test. */
const program = (deed: string): ChildProcessByStdio<Writable, Readable, null> => {
  const source = new URL('../../../src/sinks/log/destination.ts', import.meta.url).href
  const text = `import { logDestination } from '${source}'\nconst destination = logDestination()\n${deed}`
  return spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: ['pipe', 'pipe', 'inherit'] })
}

suite('a log destination', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-'))
  /** Closed at the end only: unwritten data of a destination would go to the next owner of its descriptor. */
  const writers: number[] = []
  test.after(() => {
    writers.forEach((writer) => closeSync(writer))
    rmSync(folder, { recursive: true })
  })

  const pipe = (t: TestContext, name: string): Pipe => {
    const path = join(folder, name)
    execFileSync('mkfifo', [path])
    let reader: number | undefined = openSync(path, O_RDONLY | O_NONBLOCK)
    const writer = openSync(path, O_WRONLY | O_NONBLOCK)
    const close = () => {
      if (reader !== undefined) closeSync(reader)
      reader = undefined
    }
    writers.push(writer)
    t.after(close)
    const block = Buffer.alloc(1024 * 1024)
    const read = () => {
      try {
        return block.toString('latin1', 0, readSync(reader!, block))
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN')
        return ''
      }
    }
    return { fd: writer, read, close }
  }

  test('flushes its buffer synchronously, even if all threads are busy', async () => {
    const path = join(folder, 'flushed.log')
    const destination = logDestination({ dest: path })
    // The number of Node's threads for files.
    const busy = Promise.all(Array.from({ length: 4 }, () => derive('a', 'b', 200_000, 64, 'sha512')))
    destination.write('one\n')
    destination.flushSync()
    assert.equal(readFileSync(path, 'utf8'), 'one\n')
    await busy
  })

  test('writes a line after a delay, once', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const path = join(folder, 'idle.log')
    const destination = logDestination({ dest: path })
    let written = ''
    for (const line of ['one\n', 'two\n', 'three\n']) {
      destination.write(line)
      await turn()
      assert.equal(readFileSync(path, 'utf8'), written)
      written += line
      t.mock.timers.tick(50)
      // The file system is not affected by the mocked clock.
      while (readFileSync(path, 'utf8').length < written.length) await turn()
      t.mock.timers.tick(1_000)
      assert.equal(readFileSync(path, 'utf8'), written)
    }
  })

  test('writes lines that arrived during a write', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const path = join(folder, 'busy.log')
    const destination = logDestination({ dest: path })
    const long = `${'x'.repeat(100_000)}\n`
    destination.write(long)
    destination.write('after\n')
    t.mock.timers.tick(50)
    while (!readFileSync(path, 'utf8').endsWith('after\n')) await turn()
    assert.equal(readFileSync(path, 'utf8'), `${long}after\n`)
  })

  test('loses nothing with a slow reader, and keeps the order', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { fd, read } = pipe(t, 'slow')
    const destination = logDestination({ dest: fd })
    let expected = ''
    for (let i = 0; i < 20; i++) {
      const line = `${String(i).repeat(20_000)}\n`
      destination.write(line)
      expected += line
    }
    let received = ''
    while (received.length < expected.length) {
      t.mock.timers.tick(50)
      await turn()
      received += read()
    }
    assert.equal(received, expected)
  })

  test('buffers 8 MiB for a stalled reader, and reports what it drops', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { fd, read } = pipe(t, 'stopped')
    let dropped = 0
    const destination = logDestination({ dest: fd, onDropped: () => dropped++ })
    const lines = 200
    // Each is a separate block, a hundredth of the limit.
    const line = `${'x'.repeat(83_885)}\n`
    for (let i = 0; i < lines; i++) destination.write(line)
    assert.equal(dropped, 100)
    let received = ''
    const all = (lines - dropped) * line.length
    while (received.length < all) {
      t.mock.timers.tick(50)
      await turn()
      received += read()
    }
    destination.write('after\n')
    t.mock.timers.tick(50)
    while (!received.endsWith('after\n')) {
      await turn()
      received += read()
    }
    assert.equal(received.length, all + 'after\n'.length)
  })

  test('resumes after it had to drop lines', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const path = join(folder, 'full')
    const { fd, read, close } = pipe(t, 'full')
    let dropped = 0
    const destination = logDestination({ dest: fd, onDropped: () => dropped++ })
    close()
    while (dropped === 0) destination.write(`${'x'.repeat(100_000)}\n`)
    await turn()
    const again = openSync(path, O_RDONLY | O_NONBLOCK)
    t.after(() => {
      closeSync(again)
    })
    assert.throws(read)
    const block = Buffer.alloc(1024)
    const taken = (): number => {
      try {
        return readSync(again, block)
      } catch {
        return 0
      }
    }
    while (taken() === 0) {
      destination.write(`${'x'.repeat(100_000)}\n`)
      await turn()
    }
  })

  test('drops its buffer if the reader is gone at a flush', (t) => {
    const { fd, close } = pipe(t, 'gone')
    const destination = logDestination({ dest: fd })
    destination.write('one\n')
    close()
    destination.flushSync()
    destination.write('two\n')
    destination.flushSync()
  })

  test('waits for a stalled reader at a flush, for a limited time', (t) => {
    const { fd, read } = pipe(t, 'unread')
    const destination = logDestination({ dest: fd })
    for (let i = 0; i < 10; i++) destination.write(`${'x'.repeat(50_000)}\n`)
    const began = performance.now()
    destination.flushSync()
    const tookMs = performance.now() - began
    assert.ok(tookMs >= 1_900 && tookMs < 10_000, `${tookMs} ms`)
    assert.ok(read().length > 0)
  })

  test('flushes its buffer before the process exits', async () => {
    const child = program(`for (let i = 0; i < 3; i++) destination.write('line ' + i + '\\n')
      process.exit(0)`)
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await once(child, 'close')
    assert.equal(output, 'line 0\nline 1\nline 2\n')
  })

  for (const amount of ['a line', 'a block'])
    test(`lets the process exit though its reader is gone and ${amount} is unwritten`, async () => {
      const child = program(`process.stdin.on('data', () => {
          destination.write('x'.repeat(${amount === 'a line' ? 10 : 100_000}) + '\\n')
          process.exit(7)
        })
        destination.write('up\\n'); destination.flushSync()`)
      await once(child.stdout, 'data')
      child.stdout.destroy()
      child.stdin.write('go\n')
      assert.deepEqual(await once(child, 'exit'), [7, null])
    })

  test('creates a missing file', () => {
    const path = join(folder, 'new.log')
    logDestination({ dest: path })
    assert.ok(existsSync(path))
  })
})
