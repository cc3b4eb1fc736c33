import { type KeywordCxt, type ValidateFunction, _ } from 'ajv/dist/2020.js'
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'
import { schema } from '../schema/root.ts'
import { schemaAjv } from './schema-ajv.ts'

/**
 * The validator of a configuration file. The programs of the package contain its code, which the build generates
 * (`scripts/bundle/generated-validator.ts`): compiling the schema is a third of the time of a start. Elsewhere it is compiled
 * on first use.
 */
export const schemaValidator = (): ValidateFunction => (compiled ??= compileSchema())

let compiled: ValidateFunction | undefined

const compileSchema = (): ValidateFunction =>
  // Together with definitions that are compiled when a document first uses them, this takes a quarter of the time.
  schemaAjv({ optimize: false }, callWhenUsed).compile(schema)

const callWhenUsed = (cxt: KeywordCxt): void => {
  const { self, baseId, schemaEnv } = cxt.it
  const { root } = schemaEnv
  const ref = cxt.schema as string
  const definition = {
    get validate() {
      const found = resolveRef.call(self, root, baseId, ref)
      if (!(found instanceof SchemaEnv)) throw new Error(`the schema has no definition ${ref}`)
      return found.validate
    },
  }
  callRef(cxt, _`${cxt.gen.scopeValue('wrapper', { ref: definition })}.validate`, undefined)
}
