/*
 * Lints and type-checks everything as `npm run lint` and `npm run typecheck` do, over one program: types are computed
 * once for both.
 */
import { ESLint } from 'eslint'
import ts from 'typescript'

const cwd = process.cwd()
const host = {
  getCanonicalFileName: (name: string) => name,
  getCurrentDirectory: () => cwd,
  getNewLine: () => '\n',
}

/** The program of `tsconfig.json`, with the parent links that rules need. */
const createProgram = (): ts.Program => {
  const config = ts.getParsedCommandLineOfConfigFile('tsconfig.json', undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (fault) => {
      throw new Error(ts.formatDiagnostic(fault, host))
    },
  })
  if (!config) throw new Error('no tsconfig.json')
  return ts.createProgram({
    rootNames: config.fileNames,
    options: config.options,
    configFileParsingDiagnostics: config.errors,
    host: ts.createCompilerHost(config.options, true),
  })
}

const program = createProgram()

const eslint = new ESLint({
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
})
const results = await eslint.lintFiles('.')
const formatter = await eslint.loadFormatter('stylish')
const told = await formatter.format(results)
if (told !== '') console.log(told)

const faults = ts.sortAndDeduplicateDiagnostics(ts.getPreEmitDiagnostics(program))
if (faults.length > 0) console.log(ts.formatDiagnosticsWithColorAndContext(faults, host))

const wrong = faults.length > 0 || results.some(({ errorCount }) => errorCount > 0)
process.exitCode = wrong ? 1 : 0
