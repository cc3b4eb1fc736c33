import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  call,
  faultOf,
  listen,
  lives,
  nobody,
  shell,
  StdioTestPlace,
} from '../../support/mcp/stdio-place.ts'

test('a hostile server over stdio', async (t) => {
  await t.test('that answers twice is heard once', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    assert.deepEqual(await ask(wire, 'twice'), { which: 'first' })
    assert.deepEqual(await ask(wire, 'echo'), {})
    assert.equal(wire.strays, 1)
  })

  await t.test('that answers under wrong ids answers nobody', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const other = call(wire, 'silent')
    assert.deepEqual(await ask(wire, 'wrong'), { which: 'right' })
    assert.equal(wire.strays, 4)
    other.cancel()
  })

  await t.test('that answers with nothing fails that call', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const fault = await faultOf(ask(wire, 'neither'))
    assert.equal(fault.code, 'mcp_server_malformed')
    assert.equal(fault.status, 502)
    assert.match(fault.message, /^mcp: target files sent a malformed answer: /)
    await ask(wire, 'echo')
  })

  await t.test('that answers without an id means the only call there is', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    assert.deepEqual(await ask(wire, 'nameless'), { error: { code: -32_700, message: 'cannot read this' } })
    const two = [call(wire, 'silent'), call(wire, 'nameless')]
    await ask(wire, 'echo')
    assert.equal(wire.strays, 1)
    for (const one of two) one.cancel()
  })

  await t.test('that logs to stdout finds its words in the log, and its answer is heard', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    assert.deepEqual(await ask(wire, 'garbage'), {})
    assert.deepEqual(
      place.lines.map(({ from, text }) => [from, text]),
      [
        ['stdout', 'Server is starting…'],
        ['stdout', '{"log":"started"}'],
        ['stdout', 'null'],
        ['stdout', '[]'],
        ['stdout', '{"jsonrpc":"1.0","id":"x","result":{}}'],
      ],
    )
  })

  await t.test('may send batches, as one revision has it', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const batch = call(wire, 'batch')
    assert.deepEqual(await batch.outcome, {})
    assert.equal(batch.said.length, 1)
  })

  await t.test('may send a message of ten megabytes', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const { text } = (await ask(wire, 'big', { bytes: 10_000_000 })) as { text: string }
    assert.ok(text === 'ü'.repeat(5_000_000))
    assert.deepEqual(await ask(wire, 'echo', { text }), { params: { text } })
  })

  await t.test('that sends a deep message is not understood, and lives on', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const one = call(wire, 'deep', { levels: 100_000 })
    assert.deepEqual(await one.outcome, {})
    assert.deepEqual(one.said, [])
    assert.equal(place.lines.length, 1)
    assert.equal(place.lines[0]!.text.length, 8_192)
  })

  await t.test('that ends no line is ended, at the limit', async () => {
    await using place = new StdioTestPlace({ limits: { lineBytes: 1_000_000 } })
    const wire = place.wire()
    const fault = await faultOf(ask(wire, 'endless'))
    assert.equal(fault.code, 'mcp_message_too_large')
    assert.equal(fault.status, 502)
    assert.equal(fault.message, 'mcp: target files sent a message beyond the limit of 1000000 bytes')
    await place.children.none()
    assert.equal(lives(wire.pid!), false)
  })

  await t.test('that ends no line is ended at 16 MiB', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    assert.match((await faultOf(ask(wire, 'endless'))).message, /limit of 16777216 bytes$/)
  })

  await t.test('that floods is heard, and keeps nobody else from being heard', async () => {
    await using place = new StdioTestPlace()
    const quiet = place.wire()
    await ask(quiet, 'echo')
    const wire = place.wire()
    const flood = call(wire, 'flood', { lines: 100_000 })
    await ask(quiet, 'echo')
    const before = flood.said.length
    await flood.outcome
    assert.ok(before < 100_000, `${before} messages before another server was heard`)
    assert.equal(flood.said.length, 100_000)
  })

  await t.test('that floods its stderr gets so many lines a second into the log', async () => {
    await using place = new StdioTestPlace({ limits: { logLinesPerSecond: 10 } })
    const wire = place.wire()
    await ask(wire, 'noisy', { lines: 5_000 })
    wire.close()
    await place.children.none()
    const logged = place.lines.filter(({ from }) => from === 'stderr')
    assert.ok(logged.length >= 10 && logged.length < 200, `${logged.length} lines`)
    const left = place.lines
      .filter(({ from }) => from === 'gateway')
      .map(({ text }) => Number.parseInt(text, 10))
    assert.equal(logged.length + left.reduce((sum, lines) => sum + lines, 0), 5_000)
  })

  await t.test('that writes long lines to stderr finds their beginning in the log', async () => {
    await using place = new StdioTestPlace({ limits: { logLineBytes: 20 } })
    const wire = place.wire(shell('printf "%050d\\nshort\\n" 1 >&2; read -r line'))
    assert.equal((await faultOf(ask(wire, 'anything'))).code, 'mcp_server_died')
    assert.deepEqual(
      place.lines.map(({ text }) => text),
      [`${'0'.repeat(20)} …`, 'short'],
    )
  })

  await t.test('that stops reading is told no more than fits, and disturbs nobody else', async () => {
    await using place = new StdioTestPlace({ limits: { waitingBytes: 4_000_000 } })
    const wire = place.wire()
    const quiet = place.wire()
    await ask(wire, 'deaf')
    const open = Array.from({ length: 12 }, () => call(wire, 'echo', { text: 'x'.repeat(500_000) }))
    for (const one of open) one.outcome.catch(() => undefined)
    const faults = await Promise.all(open.slice(9).map(({ outcome }) => faultOf(outcome)))
    for (const { code, status, message } of faults)
      assert.deepEqual(
        [code, status, message],
        [
          'mcp_server_not_reading',
          503,
          'mcp: target files does not read its input, and more than 4000000 bytes would wait for it',
        ],
      )
    const fault = await new Promise((resolve) => {
      wire.notify({ method: 'x', params: { text: 'x'.repeat(4_000_000) } }, nobody, resolve)
    })
    assert.ok(fault instanceof Error)
    await ask(quiet, 'echo')
    for (const one of open) one.cancel()
    assert.equal(wire.closed, undefined)
    wire.close()
    quiet.close()
    await place.children.none()
    assert.equal(lives(wire.pid!), false)
  })

  await t.test('that never answers keeps nobody from giving up', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const open = Array.from({ length: 100 }, () => call(wire, 'silent'))
    for (const one of open) one.cancel()
    await ask(wire, 'echo')
  })

  await t.test('that ignores the end of its input and SIGTERM is killed', async () => {
    await using place = new StdioTestPlace({ limits: { inputGraceMs: 50, termGraceMs: 50 } })
    const wire = place.wire()
    await ask(wire, 'stubborn')
    const heard = listen(wire)
    const began = performance.now()
    wire.close()
    await heard.closed
    assert.ok(lives(wire.pid!), 'nobody waits for it')
    await place.children.none()
    assert.ok(performance.now() - began > 95)
    assert.equal(lives(wire.pid!), false)
  })

  await t.test('does not block on what it still writes when its end is wanted', async () => {
    await using place = new StdioTestPlace({ limits: { inputGraceMs: 60_000 } })
    // Writes a megabyte once its input has ended, and ends with it.
    const wire = place.wire(shell('cat >/dev/null; head -c 1000000 /dev/zero'))
    wire.notify({ method: 'x' }, nobody, () => undefined)
    wire.close()
    await place.children.none()
  })
})
