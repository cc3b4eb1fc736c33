import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempDisposableSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { cacheFolder } from '../src/compile-cache.ts'

/** Where an image would have its own. */
const NONE = '/no/such/folder'
const isRoot = process.getuid?.() === 0

const temporary = () => mkdtempDisposableSync(join(tmpdir(), 'compile-cache-'))

suite('the folder for compiled code', () => {
  test('is created in the folder for caches of the user, for nobody else', () => {
    using home = temporary()
    const found = cacheFolder({ XDG_CACHE_HOME: home.path }, NONE)
    assert.equal(found, join(home.path, 'agentgateway'))
    assert.equal(statSync(found).mode & 0o777, 0o700)
    assert.equal(cacheFolder({ XDG_CACHE_HOME: home.path }, NONE), found)
  })

  test('is that of a variable', () => {
    using home = temporary()
    const path = join(home.path, 'deep/inside')
    assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE: path }, NONE), path)
    assert.equal(statSync(path).mode & 0o777, 0o700)
  })

  test('is that of the image, which nobody has to write to', () => {
    using image = temporary()
    assert.equal(cacheFolder({ XDG_CACHE_HOME: NONE }, image.path), image.path)
  })

  test('is none if the variable says so, or names no absolute path', () => {
    using image = temporary()
    for (const AGENTGATEWAY_COMPILE_CACHE of ['off', 'relative', './x', '~/x'])
      assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE }, image.path), undefined)
  })

  test('is none beside a variable of Node', () => {
    using image = temporary()
    assert.equal(cacheFolder({ NODE_COMPILE_CACHE: '/elsewhere' }, image.path), undefined)
    assert.equal(cacheFolder({ NODE_DISABLE_COMPILE_CACHE: '1' }, image.path), undefined)
  })

  test('is none where it cannot be created', () => {
    using home = temporary()
    writeFileSync(join(home.path, 'file'), '')
    for (const path of [join(home.path, 'file'), join(home.path, 'file/below'), '/proc/nowhere'])
      assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE: path }, NONE), undefined)
  })

  for (const mode of [0o770, 0o702, 0o777, 0o1777])
    test(`is none if others can write to it: ${mode.toString(8)}`, () => {
      using home = temporary()
      const path = join(home.path, 'cache')
      mkdirSync(path)
      chmodSync(path, mode)
      assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE: path }, NONE), undefined)
    })

  test('is none if others can put another one in its place', () => {
    using home = temporary()
    const above = join(home.path, 'shared')
    mkdirSync(above)
    chmodSync(above, 0o777)
    const env = { AGENTGATEWAY_COMPILE_CACHE: join(above, 'a/cache') }
    assert.equal(cacheFolder(env, NONE), undefined)
    // Only the owner can rename a folder there.
    chmodSync(above, 0o1777)
    assert.equal(cacheFolder(env, NONE), env.AGENTGATEWAY_COMPILE_CACHE)
  })

  test('is what a link leads to, if only the user can write to that', () => {
    using home = temporary()
    const [target, path] = [join(home.path, 'target'), join(home.path, 'link')]
    mkdirSync(target, { mode: 0o700 })
    symlinkSync(target, path)
    assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE: path }, NONE), target)
    chmodSync(target, 0o777)
    assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE: path }, NONE), undefined)
  })

  test('is none if it belongs to another user', { skip: !isRoot && 'needs root' }, () => {
    using home = temporary()
    const path = join(home.path, 'cache')
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, 65_532, 65_532)
    assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE: path }, NONE), undefined)
    const above = join(home.path, 'above')
    mkdirSync(join(above, 'cache'), { recursive: true, mode: 0o700 })
    chownSync(above, 65_532, 65_532)
    assert.equal(cacheFolder({ AGENTGATEWAY_COMPILE_CACHE: join(above, 'cache') }, NONE), undefined)
  })
})
