import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hashSync } from 'bcryptjs'
import {
  Passwords,
  type PasswordClaim,
  type PasswordVerdict,
} from '../../../src/upstream/passwords/passwords.ts'

const sha1 = '{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g='
const cheap = hashSync('right', 4)
/** Some 60 ms of work. */
const dear = hashSync('right', 10)

const claim = (parts: Partial<PasswordClaim>): PasswordClaim => ({
  user: 'alice',
  password: 'right',
  hash: cheap,
  clientAddress: '192.0.2.1',
  isDecoy: false,
  ...parts,
})

const settled = (verdict: PasswordVerdict | Promise<PasswordVerdict>) => Promise.resolve(verdict)

test('passwords', async (t) => {
  const passwords = new Passwords()
  after(() => passwords.close())

  await t.test('with SHA-1 hashes are checked synchronously', () => {
    assert.equal(passwords.verify(claim({ password: 'password', hash: sha1 })), true)
    assert.equal(passwords.verify(claim({ password: 'passwort', hash: sha1 })), false)
    assert.equal(passwords.verify(claim({ password: 'password', hash: sha1, isDecoy: true })), false)
  })

  await t.test('are checked in another thread, and valid ones are cached', async () => {
    const verdict = passwords.verify(claim({}))
    assert.ok(verdict instanceof Promise)
    assert.equal(await verdict, true)
    assert.equal(passwords.verify(claim({})), true)
  })

  await t.test('are cached for that user and that hash only', async () => {
    assert.equal(await passwords.verify(claim({})), true)
    const others = [
      { user: 'bob' },
      { password: 'wrong' },
      { hash: hashSync('other', 4) },
      { user: 'alice"' },
    ]
    for (const other of others) {
      const verdict = passwords.verify(claim(other))
      assert.ok(verdict instanceof Promise, JSON.stringify(other))
      await verdict
    }
  })

  await t.test('that are invalid are not cached', async () => {
    for (let i = 0; i < 2; i++) {
      const verdict = passwords.verify(claim({ password: 'wrong' }))
      assert.ok(verdict instanceof Promise)
      assert.equal(await verdict, false)
    }
  })

  await t.test('never match a decoy hash, and are not cached', async () => {
    for (let i = 0; i < 2; i++) {
      const verdict = passwords.verify(claim({ user: 'nobody', isDecoy: true }))
      assert.ok(verdict instanceof Promise)
      assert.equal(await verdict, false)
    }
  })

  await t.test('in concurrent requests are checked once', async () => {
    const once = claim({ hash: dear })
    const verdicts = Array.from({ length: 100 }, () => passwords.verify(once))
    assert.deepEqual(
      await Promise.all(verdicts.map(settled)),
      Array.from({ length: 100 }, () => true),
    )
  })

  await t.test('do not block the thread that serves requests', async () => {
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await passwords.verify(claim({ hash: hashSync('right', 11), password: 'wrong' }))
    isOver = true
    // In the same thread there would be two: one before the work and one after it.
    assert.ok(turns > 20, `only ${String(turns)} turns`)
  })
})

test('passwords beyond the queue limit', async (t) => {
  await t.test('are not checked', async () => {
    const passwords = new Passwords({ threads: 1, waiting: 2, perClient: 9 })
    const verdicts = [1, 2, 3, 4, 5].map((n) => passwords.verify(claim({ password: `wrong ${String(n)}` })))
    assert.deepEqual(await Promise.all(verdicts.map(settled)), [false, false, false, 'busy', 'busy'])
    assert.equal(await passwords.verify(claim({})), true)
    await passwords.close()
  })

  await t.test('do not block others if they all come from one address', async () => {
    const passwords = new Passwords({ threads: 1, waiting: 9, perClient: 3 })
    const attack = [1, 2, 3, 4].map((n) => passwords.verify(claim({ password: `wrong ${String(n)}` })))
    const other = passwords.verify(claim({ clientAddress: '192.0.2.2' }))
    assert.deepEqual(await Promise.all([...attack, other].map(settled)), [false, false, false, 'busy', true])
    await passwords.close()
  })
})

test('closing the password checker', async (t) => {
  await t.test('waits for pending checks', async () => {
    const passwords = new Passwords({ threads: 1, waiting: 9, perClient: 9 })
    const verdicts = [passwords.verify(claim({})), passwords.verify(claim({ password: 'wrong' }))]
    await passwords.close()
    assert.deepEqual(await Promise.all(verdicts.map(settled)), [true, false])
    assert.equal(passwords.verify(claim({ password: 'late' })), 'busy')
  })

  await t.test('need not wait', async () => {
    const passwords = new Passwords({ threads: 1, waiting: 9, perClient: 9 })
    const slow = hashSync('right', 4).replace('$04$', '$20$')
    const verdicts = [1, 2].map((n) =>
      passwords.verify(claim({ hash: slow, password: `wrong ${String(n)}` })),
    )
    const closed = passwords.close()
    const outcomes = Promise.allSettled(verdicts.map(settled))
    await passwords.destroy()
    await closed
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['rejected', 'rejected'],
    )
  })
})
