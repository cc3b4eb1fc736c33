import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { BufferLease } from '../../../../src/model/exchange/body.ts'
import { ResponseSocket } from '../../../../src/upstream/http/response/response-socket.ts'
import { patterned, wrongByte } from '../../../support/patterned-body.ts'
import { rawServer } from '../../../support/upstream-servers.ts'

const LENGTH = 6_000_000

/** Reads all data of an upstream like an HTTP client: fetches it at once and passes it on. */
const read = async (
  take: (chunk: Buffer, socket: ResponseSocket) => void,
  bytes = patterned(1, 0, LENGTH),
): Promise<ResponseSocket> => {
  await using server = await rawServer((socket) => socket.end(bytes))
  const socket = new ResponseSocket()
  socket.on('readable', () => {
    for (let chunk = socket.read(); chunk; chunk = socket.read()) take(chunk as Buffer, socket)
  })
  socket.connect(server.port, '127.0.0.1')
  await once(socket, 'end')
  socket.destroy()
  return socket
}

/** The memory of large chunks. */
const blocksOf = (chunks: readonly Uint8Array[]): Set<ArrayBufferLike> =>
  new Set(chunks.filter(({ length }) => length > 20_000).map(({ buffer }) => buffer))

/** Errors in consecutive chunks. */
const strangeIn = (chunks: readonly Uint8Array[]): number | undefined => {
  let at = 0
  for (const chunk of chunks) {
    const strange = wrongByte(1, at, chunk)
    if (strange !== undefined) return strange
    at += chunk.length
  }
  assert.equal(at, LENGTH)
  return undefined
}

test('a socket that leases its read buffers', async (t) => {
  await t.test('reuses the same memory if all of it was released', async () => {
    const chunks: Buffer[] = []
    let at = 0
    await read((chunk, socket) => {
      if (at === 0) socket.bodyBegins()
      assert.equal(wrongByte(1, at, chunk), undefined)
      at += chunk.length
      chunks.push(chunk)
      socket.leaseOf(chunk)?.release(chunk)
    })
    assert.equal(at, LENGTH)
    const large = chunks.filter(({ length }) => length > 20_000)
    assert.ok(large.length > 20, `${large.length} large reads`)
    assert.equal(blocksOf(chunks).size, 1)
  })

  const kept: Readonly<Record<string, (chunk: Buffer, socket: ResponseSocket) => void>> = {
    'that was not requested': () => undefined,
    'that was not given back': (chunk, socket) => void socket.leaseOf(chunk),
    'of which one chunk of two was given back': (chunk, socket) => {
      const half = chunk.length >> 1
      socket.leaseOf(chunk.subarray(0, half))
      socket.leaseOf(chunk.subarray(half))?.release(chunk.subarray(half))
    },
    'whose last bytes belong to another owner': (chunk, socket) => {
      const body = chunk.subarray(0, -1)
      socket.leaseOf(body)?.release(body)
    },
    'in which another response began': (chunk, socket) => {
      const loan = socket.leaseOf(chunk)
      socket.bodyBegins()
      loan?.release(chunk)
      assert.equal(socket.leaseOf(chunk), undefined)
    },
    'that was given back too late': (chunk, socket) => {
      const loan = socket.leaseOf(chunk)
      if (loan) setImmediate(() => loan.release(chunk))
    },
    'that was given back in the place of the next': (
      (last: { chunk: Buffer; loan: BufferLease } | undefined) => (chunk: Buffer, socket: ResponseSocket) => {
        const loan = socket.leaseOf(chunk)
        last?.loan.release(last.chunk)
        last = loan && { chunk, loan }
      }
    )(undefined),
  }
  for (const [what, take] of Object.entries(kept))
    await t.test(`does not reuse memory ${what}`, async () => {
      const chunks: Buffer[] = []
      await read((chunk, socket) => {
        if (chunks.length === 0) socket.bodyBegins()
        chunks.push(chunk)
        take(chunk, socket)
      })
      assert.equal(strangeIn(chunks), undefined)
      const large = chunks.filter(({ length }) => length > 20_000)
      assert.equal(blocksOf(chunks).size, large.length)
    })

  await t.test('leases nothing outside of bodies, and nothing small', async () => {
    let loans = 0
    const count = (chunk: Buffer, socket: ResponseSocket) => {
      if (socket.leaseOf(chunk)) loans++
    }
    await read(count)
    await read((chunk, socket) => {
      socket.bodyBegins()
      socket.bodyEnded()
      count(chunk, socket)
    })
    await read(
      (chunk, socket) => {
        socket.bodyBegins()
        count(chunk, socket)
      },
      patterned(1, 0, 8_000),
    )
    assert.equal(loans, 0)
  })

  await t.test('stops reading as soon as its reader pauses, and continues where it stopped', async () => {
    await using server = await rawServer((to) => to.end(patterned(1, 0, LENGTH)))
    const socket = new ResponseSocket()
    socket.on('readable', () => undefined)
    socket.connect(server.port, '127.0.0.1')
    await once(socket, 'readable')
    for (let i = 0; i < 50; i++) await new Promise(setImmediate)
    const waiting = socket.readableLength
    assert.ok(waiting > 0 && waiting <= 16_384, `${waiting} bytes wait`)
    const chunks: Buffer[] = []
    const fetch = () => {
      for (let chunk = socket.read(); chunk; chunk = socket.read()) chunks.push(chunk as Buffer)
    }
    socket.on('readable', fetch)
    fetch()
    await once(socket, 'end')
    socket.destroy()
    assert.equal(strangeIn(chunks), undefined)
  })

  await t.test('leases nothing that had to be buffered', async () => {
    // A paused HTTP client puts back what it has not parsed.
    const chunks: Buffer[] = []
    let putBack = 0
    await read((chunk, socket) => {
      socket.bodyBegins()
      if (chunk.length > 30_000 && putBack < 5) {
        putBack++
        socket.unshift(chunk.subarray(10_000))
        const first = chunk.subarray(0, 10_000)
        chunks.push(first)
        socket.leaseOf(first)?.release(first)
      } else chunks.push(chunk)
    })
    assert.equal(putBack, 5)
    assert.equal(strangeIn(chunks), undefined)
  })
})
