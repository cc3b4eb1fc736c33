import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseConfig } from '../../src/config/parse.ts'

test('the configuration in the migration guide for Portkey loads without warnings', () => {
  const path = 'test/docs/migration/portkey.yaml'
  assert.deepEqual(parseConfig(readFileSync(path, 'utf8'), path, {}).warnings, [])
})
