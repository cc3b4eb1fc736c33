import { variables } from '../variables.ts'
import type { Form } from './form.ts'

/** The form that gives everything there is. */
export const allVariables: Form = {
  name: 'variables',
  method: false,
  arity: [0, 0],
  usage: 'variables()',
  description: 'A map of every variable that is set. Makes the gateway buffer bodies.',
  expand: () => ({
    check: (checker) => checker.getType('map'),
    evaluate: (_evaluator, scope) => {
      const values = new Map<string, unknown>()
      for (const { name } of variables) {
        const value = scope.getValue(name)
        if (value !== undefined) values.set(name, value)
      }
      return values
    },
  }),
}
