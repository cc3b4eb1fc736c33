import { _, type Ajv2020, type KeywordCxt } from 'ajv/dist/2020.js'
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'

/**
 * Compiles a definition of the schema when a document first uses it. A file uses few of the definitions, and
 * compiling the others is a third of the time of a start.
 */
export function compileRefsWhenUsed(ajv: Ajv2020): void {
  ajv.removeKeyword('$ref')
  // Errors of the value itself come before errors about its location.
  ajv.addKeyword({ keyword: '$ref', schemaType: 'string', before: '$comment', code: callWhenUsed })
  // The schema does not use unevaluatedProperties; tracking evaluated ones would require a look into every
  // definition.
  ajv.opts.unevaluated = false
}

function callWhenUsed(cxt: KeywordCxt): void {
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
