import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileFunction } from 'node:vm'
import ts from 'typescript'
import * as llm from '../../src/protocols/llm/index.ts'

const entry = 'src/protocols/llm/index.ts'
const { config } = ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)) as {
  config: { compilerOptions: object }
}
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, process.cwd())

/** An exported value, and its example. */
interface Shown {
  readonly name: string
  readonly summary: string
  readonly example: string | undefined
}

const shownBy = (path: string): { values: Shown[]; types: Shown[] } => {
  const program = ts.createProgram([path], options)
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(path)!)!
  const shown = { values: [] as Shown[], types: [] as Shown[] }
  for (const symbol of checker.getExportsOfModule(module)) {
    const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const tag = declared.getJsDocTags(checker).find(({ name }) => name === 'example')
    const summary = ts.displayPartsToString(declared.getDocumentationComment(checker))
    const example = tag && ts.displayPartsToString(tag.text)
    const list = declared.flags & ts.SymbolFlags.Value ? shown.values : shown.types
    list.push({ name: symbol.name, summary, example })
  }
  return shown
}

/** A line with the expected value of its expression. */
const claim = /^(?!\s|\/\/|const |let )(.+?);? \/\/ (.+)$/gm

/** The example as a module that asserts the expected values. */
const moduleOf = (example: string, names: string): string =>
  `import assert from 'node:assert/strict'\nimport { ${names} } from 'agentgateway/protocols/llm'\n` +
  `${example.replaceAll(claim, (_, given: string, wanted: string) => `;assert.deepEqual(${given}, ${wanted})`)}\nexport {}\n`

/** The compiler's errors in modules that exist in memory only. */
const complaintsAbout = (modules: ReadonlyMap<string, string>): string[] => {
  const host = ts.createCompilerHost(options)
  const usual = { ...host }
  host.fileExists = (path) => modules.has(path) || usual.fileExists(path)
  host.readFile = (path) => modules.get(path) ?? usual.readFile(path)
  host.getSourceFile = (path, version, ...rest) => {
    const text = modules.get(path)
    return text === undefined
      ? usual.getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version, true)
  }
  const program = ts.createProgram([...modules.keys()], { ...options, strict: true }, host)
  return [...modules.keys()].flatMap((path) => {
    const file = program.getSourceFile(path)!
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
  })
}

/** Runs a module that imports only the entry. */
const execute = (source: string): void => {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 },
  })
  const code = outputText.replaceAll(/^(import|export) .*$/gm, '')
  const run = compileFunction(code, ['assert', ...Object.keys(llm)]) as (...given: unknown[]) => void
  run(assert, ...Object.values(llm))
}

test('exports of agentgateway/protocols/llm', async (t) => {
  const { values, types } = shownBy(entry)
  const names = [...values, ...types.map(({ name }) => ({ name: `type ${name}` }))]
    .map(({ name }) => name)
    .join(', ')

  await t.test('have a doc comment each, and values an example', () => {
    assert.ok(values.length > 10 && types.length > 20)
    assert.deepEqual(
      [...values, ...types].filter(({ summary }) => summary === '').map(({ name }) => name),
      [],
    )
    assert.deepEqual(
      values.filter(({ example }) => example === undefined).map(({ name }) => name),
      [],
    )
  })

  await t.test('have examples that compile', () => {
    const modules = new Map(
      values.map(({ name, example = '' }) => [
        `${process.cwd()}/test/docs/${name}.example.ts`,
        moduleOf(example, names),
      ]),
    )
    assert.deepEqual(complaintsAbout(modules), [])
  })

  for (const { name, example = '' } of values)
    await t.test(`behave as the example of ${name} shows`, () => {
      execute(moduleOf(example, names))
    })

  await t.test('fail the test if an example does not compile or is wrong', () => {
    const wrong = moduleOf("upstreamFormat('messages', ['nothing'])", 'upstreamFormat')
    assert.equal(complaintsAbout(new Map([[`${process.cwd()}/test/docs/wrong.example.ts`, wrong]])).length, 1)
    assert.throws(() => {
      execute(moduleOf("isChatFormat('messages') // false", 'isChatFormat'))
    })
  })
})
