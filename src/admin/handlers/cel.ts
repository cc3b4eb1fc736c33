import { CelError } from '../../cel/engine/compile-error.ts'
import { compile, type CompileOutcome } from '../../cel/compile.ts'
import type { CelContext } from '../../cel/context/context.ts'
import type { CustomFunctions } from '../../cel/custom/custom-functions.ts'
import { givenContext } from '../../cel/context/json-context.ts'
import { toPlain } from '../../cel/values/values.ts'
import { replyJson, type AdminEndpoint } from '../endpoint.ts'

/**
 * `POST /api/cel`: evaluates an expression on the caller's data: `{"expression": …, "data": {…}}`, the data being
 * variables by name. It can reach nothing of the gateway but the functions of its configuration.
 *
 * @param functions Those of the configuration in force.
 */
export const celEndpoints = (functions: () => CustomFunctions): readonly AdminEndpoint[] =>
  ['/api/cel', '/cel'].map((path) => ({
    path,
    methods: ['POST'],
    summary:
      'evaluates an expression on given data; {"expression": "…", "data": {"request": {…}, "jwt": {…}}}',
    group: 'configuration',
    takesBody: true,
    handle: ({ res, body }) => {
      const [status, value] = evaluate(body.toString(), functions())
      replyJson(res, status, value)
    },
  }))

const evaluate = (text: string, functions: CustomFunctions): readonly [status: number, answer: unknown] => {
  let expression: string
  let context: CelContext
  try {
    const request = readRequest(text)
    expression = request.expression
    context = givenContext(request.data)
  } catch (error) {
    if (error instanceof SyntaxError) return [400, 'Failed to parse input data: the body is not JSON']
    if (error instanceof TypeError) return [400, `Failed to parse input data: ${error.message}`]
    if (error instanceof RangeError) return [400, 'Failed to parse input data: it is nested too deeply']
    throw error
  }
  try {
    return [200, result(compile(expression, { functions }).evaluate(context))]
  } catch (error) {
    if (error instanceof CelError) return [400, `Failed to compile expression: ${error.message}`]
    throw error
  }
}

const readRequest = (text: string): { readonly expression: string; readonly data: unknown } => {
  const request = JSON.parse(text) as unknown
  if (typeof request !== 'object' || request === null || !('expression' in request))
    throw new TypeError('{"expression": "…", "data": {…}} is expected')
  const { expression, data = {} } = request as { readonly expression: unknown; readonly data?: unknown }
  if (typeof expression !== 'string') throw new TypeError('expression must be a text')
  return { expression, data: data ?? {} }
}

const result = ({ value, error }: CompileOutcome): object =>
  error
    ? { result: null, error: `Evaluation error: ${error.message}` }
    : { result: toPlain(value), error: null }
