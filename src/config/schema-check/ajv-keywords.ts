import { type Ajv2020, type CodeKeywordDefinition, type KeywordCxt, _ } from 'ajv/dist/2020.js'
import { keywordTests } from './keyword-tests.ts'

/** Registers the custom keywords of the schema. Warnings are reported as errors; `explain` separates them. */
export function addKeywords(ajv: Ajv2020): void {
  ajv.addKeyword({ keyword: 'x-ours' })
  ajv.removeKeyword('deprecated')
  for (const keyword of Object.keys(keywordTests)) ajv.addKeyword(definition(keyword))
}

/** The values that a keyword is about; the others accept all. */
const types: Readonly<Record<string, 'object' | 'string'>> = {
  'x-notSupportedYet': 'string',
  'x-exactlyOne': 'object',
  'x-within': 'object',
  'x-atMostOneOf': 'object',
}

const definition = (keyword: string): CodeKeywordDefinition => {
  const type = types[keyword]
  return {
    keyword,
    ...(type && { type }),
    error: { message: keyword, params: ({ params }) => _`${params.found}` },
    code: (cxt) => {
      callTest(cxt, keyword)
    },
  }
}

const callTest = (cxt: KeywordCxt, keyword: string): void => {
  const { gen, data, schemaCode, it } = cxt
  const test = gen.scopeValue('func', {
    ref: keywordTests[keyword],
    code: _`keywordTests[${keyword}]`,
  })
  const found = gen.const('found', _`${test}(${schemaCode}, ${data}, ${it.topSchemaRef}${it.schemaPath})`)
  cxt.setParams({ found })
  cxt.fail(_`${found} !== undefined`)
}
