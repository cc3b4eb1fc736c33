import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type Body, type BodySink, BufferBody, emptyBody } from '../../src/model/exchange/body.ts'
import { tracedBytes, watchBody } from '../../src/pipeline/tap-body.ts'
import { TraceRecorder } from '../../src/testing/trace-recorder.ts'

/** A body in chunks, which may end early. */
const chunked = (chunks: readonly string[], fault?: Error): Body => ({
  lengthBytes: undefined,
  pipe: (to) => {
    for (const chunk of chunks) to.write(Buffer.from(chunk))
    if (fault) to.fail(fault)
    else to.end(['x-trailer', '1'])
  },
  read: () => Promise.resolve(Buffer.from(chunks.join(''))),
  drop: () => undefined,
  source: () => Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
})

const collector = () => {
  const got: string[] = []
  const sink: BodySink = {
    write: (chunk) => got.push(Buffer.from(chunk).toString()) < 2,
    end: (trailers) => void got.push(`end ${String(trailers)}`),
    fail: (fault) => void got.push((fault as Error).message),
    onDrain: (resume) => {
      resume()
    },
  }
  return { got, sink }
}

const bodiesOf = (trace: TraceRecorder) =>
  trace.entries.map((note) => {
    assert.ok(note.type === 'bodySnapshot')
    return [note.stage, Buffer.from(note.body, 'base64').toString(), note.lengthBytes]
  })

test('a tapped body', async (t) => {
  await t.test('is forwarded unchanged, with its backpressure and trailers, and then reported', () => {
    const trace = new TraceRecorder()
    const { got, sink } = collector()
    const answers: boolean[] = []
    const watched = watchBody(chunked(['one ', 'two']), trace, 'response')
    watched.pipe({ ...sink, write: (chunk) => answers[answers.push(sink.write(chunk)) - 1] ?? true })
    assert.deepEqual(got, ['one ', 'two', 'end x-trailer,1'])
    assert.deepEqual(answers, [true, false])
    assert.deepEqual(bodiesOf(trace), [['response', 'one two', 7]])
  })

  await t.test('is reported in part when it is aborted', () => {
    const trace = new TraceRecorder()
    const { got, sink } = collector()
    watchBody(chunked(['one'], new Error('cut')), trace, 'response').pipe(sink)
    assert.deepEqual(got, ['one', 'cut'])
    assert.deepEqual(bodiesOf(trace), [['response', 'one', 3]])
  })

  await t.test('is recorded up to a limit', () => {
    const trace = new TraceRecorder()
    const { sink } = collector()
    watchBody(chunked(['x'.repeat(tracedBytes - 1), 'yyy', 'zzz']), trace, 'response').pipe(sink)
    const [[, shown, lengthBytes] = []] = bodiesOf(trace)
    assert.equal(shown, `${'x'.repeat(tracedBytes - 1)}y`)
    assert.equal(lengthBytes, tracedBytes + 5)
  })

  await t.test('may be read in full, or be the source of a request', async () => {
    const trace = new TraceRecorder()
    assert.equal((await watchBody(chunked(['a', 'b']), trace, 'one').read(10)).toString(), 'ab')
    const source = watchBody(chunked(['c', 'd']), trace, 'two').source()
    assert.ok(source instanceof Readable)
    assert.equal(await text(source), 'cd')
    await new Promise(setImmediate)
    assert.deepEqual(bodiesOf(trace), [
      ['one', 'ab', 2],
      ['two', 'cd', 2],
    ])
  })

  await t.test('releases its source when the request is cancelled', async () => {
    const source = new Readable({ read: () => undefined })
    const body: Body = { ...chunked([]), source: () => source }
    const watched = watchBody(body, new TraceRecorder(), 'final request').source()
    assert.ok(watched instanceof Readable)
    const closed = new Promise((resolve) => source.once('close', resolve))
    watched.on('error', () => undefined).destroy()
    await closed
  })

  await t.test('stays an in-memory body if it is one', () => {
    const trace = new TraceRecorder()
    const body = new BufferBody('hello')
    assert.equal(watchBody(body, trace, 'final request'), body)
    assert.equal(watchBody(emptyBody, trace, 'response'), emptyBody)
    assert.deepEqual(bodiesOf(trace), [
      ['final request', 'hello', 5],
      ['response', '', 0],
    ])
  })
})
