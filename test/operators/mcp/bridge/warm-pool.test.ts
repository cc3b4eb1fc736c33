import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { NEVER, of, Subject, throwError } from 'rxjs'
import { type Warm, WarmPool } from '../../../../src/operators/mcp/bridge/warm-pool.ts'

class Program implements Warm {
  isOver = false

  end(): void {
    this.isOver = true
  }
}

suite('warm processes', () => {
  test('are limited in number, however many kinds of clients there are', () => {
    const pool = new WarmPool<Program>()
    const programs = Array.from({ length: 20 }, () => new Program())
    for (const [i, program] of programs.entries()) pool.put(`kind ${i}`, 2, program)
    assert.equal(pool.size, 2)
    assert.equal(programs.filter(({ isOver }) => !isOver).length, 2)
    let started = 0
    for (let i = 0; i < 20; i++)
      pool.fill(`starting ${i}`, 2, () => {
        started++
        return NEVER
      })
    assert.equal(started, 2)
    pool.destroy()
    assert.ok(programs.every(({ isOver }) => isOver))
  })

  test('are used once, for the kind of client that they were started for, and not if they have exited', () => {
    const pool = new WarmPool<Program>()
    const [dead, living] = [new Program(), new Program()]
    pool.put('a', 2, living)
    pool.put('a', 2, dead)
    dead.end()
    assert.equal(pool.take('b'), undefined)
    assert.equal(pool.take('a'), living)
    assert.equal(pool.take('a'), undefined)
  })

  test('are closed if processes are scarce', () => {
    const spares = new Set<() => boolean>()
    const pool = new WarmPool<Program>().join(spares)
    const program = new Program()
    pool.put('a', 1, program)
    const [spare] = spares
    assert.ok(spare)
    assert.ok(spare())
    assert.ok(program.isOver)
    assert.ok(!spare())
    pool.destroy()
    assert.equal(spares.size, 0)
  })

  test('are closed if they start after the pool was closed, and may fail to start', () => {
    const pool = new WarmPool<Program>()
    pool.fill('a', 1, () => throwError(() => new Error('no')))
    pool.fill('a', 1, () => of(new Program()))
    assert.ok(pool.take('a'))
    const late = new Subject<Program>()
    pool.fill('a', 1, () => late)
    pool.destroy()
    assert.ok(!late.observed)
    const program = new Program()
    pool.put('a', 1, program)
    assert.ok(program.isOver)
  })
})
