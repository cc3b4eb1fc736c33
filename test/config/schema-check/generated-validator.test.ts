import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, suite, test } from 'node:test'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { validatorModule } from '../../../scripts/bundle/generated-validator.ts'
import { formatTests } from '../../../src/config/schema-check/format-tests.ts'
import { keywordTests } from '../../../src/config/schema-check/keyword-tests.ts'
import { schemaValidator } from '../../../src/config/schema-check/schema-validator.ts'
import { readDocument } from '../../../src/config/document/read-document.ts'
import { schema } from '../../../src/config/schema/root.ts'
import { corpus } from '../corpus.ts'
import { fixtureEnvironment, fixtures } from '../fixtures.ts'

interface ValidatorModule {
  readonly createValidator: (...parts: readonly unknown[]) => ValidateFunction
}

/** The validator as the programs of the package have it. */
const generated = async (folder: string): Promise<ValidateFunction> => {
  const file = join(folder, 'validator.mjs')
  writeFileSync(file, validatorModule())
  // It imports modules of ajv.
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const { createValidator } = (await import(file)) as ValidatorModule
  return createValidator(schema, formatTests, keywordTests)
}

const errorsOf = (validate: ValidateFunction, value: unknown): readonly ErrorObject[] =>
  validate(value) ? [] : (validate.errors ?? [])

suite('the validator that the build generates', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'validator-'))
  after(() => {
    rmSync(folder, { recursive: true })
  })
  const validate = await generated(folder)
  const files = [
    ...fixtures('bad', '.txt').map(({ text }) => text),
    ...corpus('refused').map(({ text }) => text),
    ...corpus('accepted').map(({ text }) => text),
  ]

  test('finds what the schema finds when it is compiled at run time, in the same order', () => {
    let found = 0
    for (const text of files) {
      const { value } = readDocument(text, 'gateway.yaml', fixtureEnvironment).document
      const errors = errorsOf(validate, value)
      found += errors.length
      assert.deepEqual(errors, errorsOf(schemaValidator(), value), text)
    }
    assert.ok(files.length > 200 && found > 500, `${files.length} files, ${found} errors`)
  })
})
