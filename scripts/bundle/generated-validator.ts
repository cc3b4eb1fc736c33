import { resolve } from 'node:path'
import { _ } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import reference from 'ajv/dist/vocabularies/core/ref.js'
import type { Plugin } from 'rolldown'
import { schemaAjv } from '../../src/config/schema-check/schema-ajv.ts'
import { schema } from '../../src/config/schema/root.ts'

/**
 * Replaces the compilation of the schema by its result, the code of the validator. Compiling was 40 % of the CPU time of
 * a start (490 instead of 310 ms), and the compiler is not loaded.
 */
export const generatedValidator: Plugin = {
  name: 'generated validator',
  resolveId: (source) => (source === GENERATED ? GENERATED : undefined),
  load(id) {
    if (id === MODULE) return { code: replacement, moduleType: 'js' }
    return id === GENERATED ? { code: validatorModule(), moduleType: 'js' } : undefined
  },
}

const MODULE = resolve('src/config/schema-check/schema-validator.ts')
/** Apart from the sources, so that it has no source map. By its ending it imports CommonJS as Node does. */
const GENERATED = '\0generated-validator.mjs'

const replacement = `
import { schema } from '../schema/root.ts'
import { formatTests } from './format-tests.ts'
import { keywordTests } from './keyword-tests.ts'
import { createValidator } from '${GENERATED}'
let validator
export const schemaValidator = () => (validator ??= createValidator(schema, formatTests, keywordTests))
`

/** A module that exports `createValidator(schema, formatTests, keywordTests)`. */
export const validatorModule = (): string => {
  const ajv = schemaAjv(
    { source: true, lines: true, optimize: true, formats: _`formatTests` },
    reference.default.code,
  )
  const code = withoutCopies(standalone.default(ajv, ajv.compile(schema)))
  const name = /^module\.exports = (\w+);$/m.exec(code)?.[1]
  if (name === undefined) throw new Error('the generated validator has no name')
  const [constants, functions] = partition(code.split('\n'), (line) => CONSTANT.test(line))
  const [required, given] = partition(constants, (line) => line.includes('require('))
  return [
    ...required.map(importOf),
    // The functions are at the top, where V8 keeps the compiled code of those that ran.
    ...given.map((line) => line.replace(/^const (\w+) = .*$/, 'let $1')),
    ...functions.filter((line) => !/^("use strict"|module\.exports)/.test(line)),
    'export const createValidator = (schema, formatTests, keywordTests) => {',
    ...given.map((line) => line.slice('const '.length)),
    `return ${name} }`,
  ].join('\n')
}

/** Ajv's names of what functions share. */
const CONSTANT = /^const (schema|func|formats|pattern|root|wrapper)\d+ = /

const partition = (lines: readonly string[], test: (line: string) => boolean) =>
  [lines.filter(test), lines.filter((line) => !test(line))] as const

/** Refers to the parts of the schema, of which the code has copies for error messages. */
const withoutCopies = (code: string): string => {
  const places = new Map<string, string>([[JSON.stringify(schema), 'schema']])
  for (const [name, definition] of Object.entries(schema.$defs as object))
    places.set(JSON.stringify(definition), `schema.$defs[${JSON.stringify(name)}]`)
  return code.replaceAll(/^(const schema\d+ = )(\{.*\});$/gm, (_all, before: string, json: string) => {
    const place = places.get(json)
    if (place === undefined) throw new Error(`the generated validator has an unknown part: ${json}`)
    return `${before}${place};`
  })
}

const importOf = (line: string): string => {
  const [, name, path] = /^const (\w+) = require\("([^"]+)"\)\.default;$/.exec(line) ?? []
  if (name === undefined)
    throw new Error(`the generated validator loads something in an unknown form: ${line}`)
  return `import ${name}Module from '${path}.js'; const ${name} = ${name}Module.default`
}
