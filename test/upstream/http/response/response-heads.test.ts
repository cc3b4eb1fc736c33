import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResponseHeads } from '../../../../src/upstream/http/response/response-heads.ts'

const hints = (sizeBytes: number) => `HTTP/1.1 103 Early Hints\r\nlink: ${'x'.repeat(sizeBytes)}\r\n\r\n`
const answer = 'HTTP/1.1 200 OK\r\n\r\n'

test('a long informational response byte by byte is not copied for every byte', (t) => {
  let copiedBytes = 0
  const concat = Buffer.concat.bind(Buffer)
  t.mock.method(Buffer, 'concat', (...args: Parameters<typeof concat>) => {
    const made = concat(...args)
    copiedBytes += made.length
    return made
  })
  const informed: [number, number | undefined][] = []
  const heads = new ResponseHeads(() => undefined)
  heads.await({
    informed: (status, fields) => informed.push([status, fields[1]?.length]) > 0,
    spoiled: (fault) => assert.fail(fault),
  })
  const bytes = Buffer.from(hints(60_000) + hints(10) + answer)
  let rest = ''
  for (let at = 0; at < bytes.length; at++)
    rest += heads.take(bytes.subarray(at, at + 1))?.toString('latin1') ?? ''
  assert.deepEqual(informed, [
    [103, 60_000],
    [103, 10],
  ])
  assert.equal(rest, answer)
  assert.ok(copiedBytes < 10 * bytes.length, `${copiedBytes} bytes copied for ${bytes.length}`)
})
