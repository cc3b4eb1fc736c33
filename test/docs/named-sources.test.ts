import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

test('ARCHITECTURE.md names files and folders that exist', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8')
  const named = [...text.matchAll(/`((?:src|test|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  assert.ok(named.length > 100)
  assert.deepEqual(
    named.filter((path) => !existsSync(path)),
    [],
  )
})
