import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Subject } from 'rxjs'
import { snapshots } from '../../../src/streams/config/snapshots.ts'

/** A stream of snapshots whose compiling ends when the test says so. */
const following = () => {
  const updates$ = new Subject<void>()
  let state = 0
  const begun: string[] = []
  const emitted: string[] = []
  const refused: unknown[] = []
  let end: (problem?: Error) => void = () => undefined
  const subscription = snapshots<string, string>({
    first: 'first',
    changes$: new Subject(),
    load: () => Promise.reject(new Error('there is no file')),
    updates: { updates$, join: (loaded = 'file') => `${loaded} with ${state}` },
    compile: (loaded) => {
      begun.push(loaded)
      return new Promise((resolve, reject) => {
        end = (problem) => (problem ? reject(problem) : resolve(loaded))
      })
    },
    refused: (problem) => refused.push(problem),
  }).subscribe((snapshot) => emitted.push(snapshot))
  const settled = () => new Promise(setImmediate)
  return {
    ...{ begun, emitted, refused },
    update: () => {
      state++
      updates$.next()
    },
    /** Ends the compiling under way. */
    end: async (problem?: Error) => {
      end(problem)
      await settled()
    },
    [Symbol.dispose]: () => subscription.unsubscribe(),
  }
}

suite('snapshots of a configuration with updates', () => {
  test('have all updates that came while another one was compiled, in one', async () => {
    using stream = following()
    await stream.end()
    for (let i = 0; i < 4; i++) stream.update()
    await stream.end()
    await stream.end()
    assert.deepEqual(stream.begun, ['first', 'file with 1', 'file with 4'])
    assert.deepEqual(stream.emitted, stream.begun)
  })

  test('go on after one that is refused', async () => {
    using stream = following()
    await stream.end()
    stream.update()
    const problem = new Error('refused')
    await stream.end(problem)
    assert.deepEqual([stream.refused, stream.emitted], [[problem], ['first']])
    stream.update()
    await stream.end()
    assert.deepEqual(stream.emitted, ['first', 'file with 2'])
  })
})
