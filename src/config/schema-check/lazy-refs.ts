import { _, type Ajv2020, type KeywordCxt } from 'ajv/dist/2020.js'
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js'
import { callRef } from 'ajv/dist/vocabularies/core/ref.js'

/**
 * Lets the validator compile a definition when a document first has something for it. A file uses a few of the
 * definitions, and compiling the others is a third of the work of a start.
 */
export function compileRefsWhenUsed(ajv: Ajv2020): void {
  ajv.removeKeyword('$ref')
  // What is wrong with the thing itself is told before what is said about its place.
  ajv.addKeyword({ keyword: '$ref', schemaType: 'string', before: '$comment', code: callWhenUsed })
  // Nothing in the schema asks what was looked at, and keeping account of it would take a look into every definition.
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
