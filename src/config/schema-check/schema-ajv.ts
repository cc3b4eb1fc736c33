import { Ajv2020, type CodeKeywordDefinition, type CodeOptions } from 'ajv/dist/2020.js'
import { addKeywords } from './ajv-keywords.ts'
import { formatTests } from './format-tests.ts'

/**
 * Ajv with the formats and keywords of the schema, which compiles it.
 *
 * @param code How it writes code.
 * @param callDefinition Writes the call of a definition, for `$ref`.
 */
export const schemaAjv = (code: CodeOptions, callDefinition: CodeKeywordDefinition['code']): Ajv2020 => {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    // A test validates the schema, so no start needs to.
    validateSchema: false,
    inlineRefs: false,
    code,
    formats: formatTests,
  })
  addKeywords(ajv)
  ajv.removeKeyword('$ref')
  // Errors of the value itself come before errors about its location.
  ajv.addKeyword({ keyword: '$ref', schemaType: 'string', before: '$comment', code: callDefinition })
  // The schema does not use unevaluatedProperties; tracking evaluated ones would require a look into every
  // definition.
  ajv.opts.unevaluated = false
  return ajv
}
