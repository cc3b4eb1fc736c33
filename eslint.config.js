import js from '@eslint/js'
import { defineConfig } from 'eslint/config'
import typescript from 'typescript-eslint'

export default defineConfig(
  { ignores: ['dist/', '**/*.gen.ts', '**/*.cjs'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [typescript.configs.strictTypeChecked, typescript.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',

      // `(x) => out.next(x)` reads better than a block around one call.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // A number in a message prints as anyone expects; objects and undefined still do not.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A fault arrives as `unknown` and is passed on as it came.
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true }],
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
      // An index that is known to be in range is written `list[i] as T`; `!` stays forbidden.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      // Node types sockets and messages more widely than it makes them; `as` narrows them where they come in.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // There are no enums, for Node could not run them as they are, and looking for them takes a tenth of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // Node's parsers speak of control characters, and so do the checks for them.
      'no-control-regex': 'off',
      // A parameter that a signature asks for and nobody needs starts with an underscore.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts', 'examples/**/*.ts', 'src/testing/**/*.ts'],
    rules: {
      // The runner collects what `test` returns; only subtests have to be awaited.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', name: ['test', 'suite', 'describe', 'it'], package: 'node:test' },
          ],
        },
      ],
      // In a test a missing value is a failure with a stack, which is as good as an assertion.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
)
