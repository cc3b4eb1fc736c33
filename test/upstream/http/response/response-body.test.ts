import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../../src/model/exchange/fault.ts'
import { ResponseBody } from '../../../../src/upstream/http/response/response-body.ts'

/** A client controlled by the test. */
class ByHand extends ResponseBody {
  readonly log: string[] = []
  readonly #ended: () => void

  constructor(ended: () => void = () => undefined) {
    super()
    this.#ended = ended
  }

  send(text: string): void {
    this.push(Buffer.from(text))
  }

  lend(chunk: Buffer): boolean {
    let back = false
    this.push(chunk, { release: () => void (back = true) })
    return back
  }

  finish(trailers?: readonly string[]): void {
    if (this.complete(trailers)) this.#ended()
    else this.whenTaken(this.#ended)
  }

  fail(): void {
    this.breakOff(new Fault('upstream_failed', 'gone'))
  }

  protected override pause(): void {
    this.log.push('pause')
  }

  protected override resume(): void {
    this.log.push('resume')
  }

  protected override cut(): void {
    this.log.push('cut')
  }

  protected override releaseConnection(): void {
    this.log.push('let go')
  }
}

const sinkOf = (log: string[], goOn = true) => {
  const sink = {
    resume: (): void => undefined,
    write: (chunk: Uint8Array) => (log.push(String(chunk)), goOn),
    end: (trailers?: readonly string[]) => void log.push(`end ${trailers?.join() ?? ''}`),
    fail: () => void log.push('fail'),
    onDrain: (resume: () => void) => {
      sink.resume = resume
    },
  }
  return sink
}

test('the body of a response', async (t) => {
  await t.test('keeps no leased memory when it is read whole, or dropped', async () => {
    const body = new ByHand()
    const whole = body.read(100)
    const chunk = Buffer.from('hello')
    assert.equal(body.lend(chunk), true)
    chunk.fill('x')
    body.finish()
    assert.equal(String(await whole), 'hello')
    const dropped = new ByHand()
    dropped.drop()
    assert.equal(dropped.lend(chunk), true)
  })

  await t.test('takes ownership of leased memory without a consumer', () => {
    const log: string[] = []
    const body = new ByHand()
    assert.equal(body.lend(Buffer.from('early')), false)
    body.pipe(sinkOf(log))
    assert.deepEqual(log, ['early'])
  })

  await t.test('buffers what arrives before it has a consumer', () => {
    const body = new ByHand()
    body.send('a')
    body.send('b')
    body.finish(['x', '1'])
    const log: string[] = []
    body.pipe(sinkOf(log))
    assert.deepEqual(log.map(String), [String(Buffer.from('a')), 'b', 'end x,1'])
  })

  await t.test('reports its end only after the call that consumed it', async () => {
    const log: string[] = []
    const body = new ByHand(() => log.push('ended'))
    body.finish()
    body.pipe(sinkOf(log))
    log.push('piped')
    await Promise.resolve()
    assert.deepEqual(log, ['end ', 'piped', 'ended'])
  })

  await t.test('pauses for a full sink, also if it was full from the start', () => {
    const body = new ByHand()
    body.send('a')
    const sink = sinkOf([], false)
    body.pipe(sink)
    assert.deepEqual(body.log, ['pause'])
    sink.resume()
    body.send('b')
    assert.deepEqual(body.log, ['pause', 'resume', 'pause'])
  })

  await t.test('reports its failure, whether it is consumed before or after', async () => {
    const before = new ByHand()
    const log: string[] = []
    before.pipe(sinkOf(log))
    before.fail()
    const after = new ByHand()
    after.fail()
    await assert.rejects(after.read(10), { code: 'upstream_failed' })
    assert.deepEqual(log, ['fail'])
  })

  await t.test('is read to its end if it is dropped and short, else aborted', () => {
    const short = new ByHand()
    short.lengthBytes = 65_536
    short.drop()
    const long = new ByHand()
    long.lengthBytes = 65_537
    long.drop()
    const unknown = new ByHand()
    unknown.drop()
    unknown.drop()
    assert.deepEqual([short.log, long.log, unknown.log], [['resume'], ['cut'], ['cut']])
  })

  await t.test('drops its buffer when it is dropped, and reports that it ended', async () => {
    const log: string[] = []
    const body = new ByHand(() => log.push('ended'))
    body.send('a')
    body.finish()
    body.drop()
    assert.deepEqual(log, [])
    await Promise.resolve()
    assert.deepEqual(log, ['ended'])
  })

  await t.test('cannot be the body of a request', () => {
    assert.throws(() => new ByHand().source(), { code: 'body_not_forwardable' })
  })
})
