import { randomUUID } from 'node:crypto'
import { celError } from '../engine/eval-error.ts'
import type { FunctionGroup } from './function.ts'

/** Functions whose results do not depend on their arguments only. */
export const impure: FunctionGroup = {
  title: 'Other',
  functions: [
    {
      usage: 'random()',
      description: 'A double from 0 up to, not including, 1.',
      overloads: { 'random(): double': () => Math.random() },
    },
    {
      usage: 'uuid()',
      description: 'A new random UUID.',
      overloads: { 'uuid(): string': () => randomUUID() },
    },
    {
      usage: 'fail(), fail(message)',
      description: 'Never has a value: the expression fails.',
      overloads: {
        'fail(): dyn': () => {
          throw celError('failed', 'fail() was called')
        },
        'fail(string): dyn': (message: string) => {
          throw celError('failed', message)
        },
      },
    },
  ],
}
